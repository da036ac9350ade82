// NVTX marks parts of a program for a profiler; there is none here.
#pragma once
#include <stddef.h>
#include <stdint.h>
#define NVTX_VERSION 3
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2, NVTX_MESSAGE_TYPE_REGISTERED = 3 } nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NOTHING(type, name, parameters) \
  static inline type name parameters { return (type)0; }
NVTX_NOTHING(int, nvtxRangePushA, (const char *name))
NVTX_NOTHING(int, nvtxRangePushW, (const wchar_t *name))
NVTX_NOTHING(int, nvtxRangePushEx, (const nvtxEventAttributes_t *attributes))
NVTX_NOTHING(int, nvtxRangePop, (void))
NVTX_NOTHING(nvtxRangeId_t, nvtxRangeStartA, (const char *name))
NVTX_NOTHING(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *attributes))
NVTX_NOTHING(void, nvtxRangeEnd, (nvtxRangeId_t id))
NVTX_NOTHING(void, nvtxMarkA, (const char *name))
NVTX_NOTHING(void, nvtxMarkW, (const wchar_t *name))
NVTX_NOTHING(void, nvtxMarkEx, (const nvtxEventAttributes_t *attributes))
NVTX_NOTHING(void, nvtxNameOsThreadA, (uint32_t id, const char *name))
NVTX_NOTHING(void, nvtxNameCategoryA, (uint32_t id, const char *name))
NVTX_NOTHING(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name))
NVTX_NOTHING(void, nvtxDomainDestroy, (nvtxDomainHandle_t domain))
NVTX_NOTHING(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
NVTX_NOTHING(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain))
NVTX_NOTHING(void, nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
NVTX_NOTHING(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char *text))
NVTX_NOTHING(void, nvtxInitialize, (const void *reserved))
#undef NVTX_NOTHING
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
