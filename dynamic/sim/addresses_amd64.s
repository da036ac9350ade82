#include "textflag.h"

// 0, 1, 2, 3: to be multiplied with the distance of neighbours.
DATA laneNumbers<>+0(SB)/8, $0
DATA laneNumbers<>+8(SB)/8, $1
DATA laneNumbers<>+16(SB)/8, $2
DATA laneNumbers<>+24(SB)/8, $3
GLOBL laneNumbers<>(SB), RODATA|NOPTR, $32

DATA signBit<>+0(SB)/8, $0x8000000000000000
GLOBL signBit<>(SB), RODATA|NOPTR, $8

// STEP adds the offset to four lanes, stores them, and notes how they differ from neighbours.
#define STEP(at) \
	VPADDQ  at(SI), Y0, Y3 \
	VMOVDQU Y3, at(DI)     \
	VPXOR   Y3, Y1, Y4     \
	VPOR    Y4, Y5, Y5     \
	VPADDQ  Y2, Y1, Y1

// RANGE takes four lanes into the least, the greatest (both with their sign bits turned, since
// AVX2 compares signed numbers) and the union of the bits.
#define RANGE(at) \
	VMOVDQU   at(DI), Y3         \
	VPOR      Y3, Y5, Y5         \
	VPXOR     Y3, Y6, Y3         \
	VPCMPGTQ  Y3, Y1, Y4         \
	VBLENDVPD Y4, Y3, Y1, Y1     \
	VPCMPGTQ  Y2, Y3, Y4         \
	VBLENDVPD Y4, Y3, Y2, Y2

// func vectorAddresses(to, from *[32]uint64, offset, distance uint64) (low, high, or uint64, together bool)
TEXT ·vectorAddresses(SB), NOSPLIT, $0-57
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	VPBROADCASTQ offset+16(FP), Y0
	VPBROADCASTQ distance+24(FP), Y2
	VPMULUDQ laneNumbers<>(SB), Y2, Y1
	VPSLLQ $2, Y2, Y2
	MOVQ (SI), AX
	ADDQ offset+16(FP), AX
	VMOVQ AX, X3
	VPBROADCASTQ X3, Y3
	VPADDQ Y3, Y1, Y1  // the addresses that neighbours would have
	VPXOR Y5, Y5, Y5
	STEP(0)
	STEP(32)
	STEP(64)
	STEP(96)
	STEP(128)
	STEP(160)
	STEP(192)
	STEP(224)
	VPTEST Y5, Y5
	JNE apart
	VZEROUPPER
	MOVQ distance+24(FP), BX
	IMUL3Q $31, BX, BX
	ADDQ AX, BX
	MOVQ AX, low+32(FP)
	MOVQ BX, high+40(FP)
	MOVQ AX, or+48(FP)
	MOVB $1, together+56(FP)
	RET

apart:
	// Are they all the same?
	VMOVQ AX, X1
	VPBROADCASTQ X1, Y1
	VPXOR (DI), Y1, Y5
	VPXOR 32(DI), Y1, Y2
	VPXOR 64(DI), Y1, Y3
	VPXOR 96(DI), Y1, Y4
	VPOR Y2, Y5, Y5
	VPOR Y4, Y3, Y3
	VPXOR 128(DI), Y1, Y2
	VPXOR 160(DI), Y1, Y4
	VPOR Y2, Y5, Y5
	VPOR Y4, Y3, Y3
	VPXOR 192(DI), Y1, Y2
	VPXOR 224(DI), Y1, Y4
	VPOR Y2, Y5, Y5
	VPOR Y4, Y3, Y3
	VPOR Y3, Y5, Y5
	VPTEST Y5, Y5
	JNE differ
	VZEROUPPER
	MOVQ AX, low+32(FP)
	MOVQ AX, high+40(FP)
	MOVQ AX, or+48(FP)
	MOVB $0, together+56(FP)
	RET

differ:
	VPBROADCASTQ signBit<>(SB), Y6
	VPXOR (DI), Y6, Y1
	VMOVDQA Y1, Y2
	VPXOR Y5, Y5, Y5
	RANGE(0)
	RANGE(32)
	RANGE(64)
	RANGE(96)
	RANGE(128)
	RANGE(160)
	RANGE(192)
	RANGE(224)
	// From four lanes to two, and to one.
	VEXTRACTI128 $1, Y1, X3
	VPCMPGTQ X3, X1, X4
	VBLENDVPD X4, X3, X1, X1
	VPSHUFD $0x4e, X1, X3
	VPCMPGTQ X3, X1, X4
	VBLENDVPD X4, X3, X1, X1
	VEXTRACTI128 $1, Y2, X3
	VPCMPGTQ X2, X3, X4
	VBLENDVPD X4, X3, X2, X2
	VPSHUFD $0x4e, X2, X3
	VPCMPGTQ X2, X3, X4
	VBLENDVPD X4, X3, X2, X2
	VEXTRACTI128 $1, Y5, X3
	VPOR X3, X5, X5
	VPSHUFD $0x4e, X5, X3
	VPOR X3, X5, X5
	VPXOR X6, X1, X1
	VPXOR X6, X2, X2
	VMOVQ X1, low+32(FP)
	VMOVQ X2, high+40(FP)
	VMOVQ X5, or+48(FP)
	MOVB $0, together+56(FP)
	VZEROUPPER
	RET
