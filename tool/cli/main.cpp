// SPDX-License-Identifier: BSD-3-Clause
#include "base/streams.h"
#include "cli/command.h"

int main(int argc, char** argv) {
  colltree::prepare_streams();
  return colltree::cli::run(argc, argv);
}
