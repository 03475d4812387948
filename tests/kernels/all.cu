// All the small kernels as one unit, each file in a namespace of its own.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
namespace anon_new {
#include "anon_new_k.cu"
}
namespace anon_old {
#include "anon_old_k.cu"
}
namespace callee_spill {
#include "callee_spill.cu"
}
#ifdef DBL
namespace dbl {
#include "dbl.cu"
}
#endif
namespace demo {
#include "demo.cu"
}
namespace nospill {
#include "nospill.cu"
}
namespace smem80 {
#include "smem80.cu"
}
namespace smemspill {
#include "smemspill.cu"
}
namespace smemspill8 {
#include "smemspill8.cu"
}
namespace suite {
#include "suite.cu"
}
namespace gallery {
#include "../../examples/gallery/kernels/clean.cu"
#include "../../examples/gallery/kernels/others.cu"
#include "../../examples/gallery/kernels/residency.cu"
#include "../../examples/gallery/kernels/spills.cu"
}
