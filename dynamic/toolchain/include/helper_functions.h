// What NVIDIA's samples share, for programs that come without it.
#pragma once
#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"
