#pragma once

// Defined in norm.cu: with more than one file the `cc` crate makes relocatable device code.
__device__ float block_sum(float value);
