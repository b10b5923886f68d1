#include "select.h"

#include "loop_table.h"
#include "rows.h"

namespace crossdock::native {

void where(const Launch& launch) {
  const Loop loop = loops().where[itemsize(launch.output().dtype)];
  for_rows(launch, kGrain, loop);
}

}  // namespace crossdock::native
