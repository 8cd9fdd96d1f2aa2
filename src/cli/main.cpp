// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.h"

int main(int argc, char** argv) { return colltree::run(argc, argv); }
