#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# example.sh PROGRAM: the example of the public header fits, decides and prints as it should.
diff <("$1") - <<'END'
bytes <= 1024 : binomial (22.0/1.3)
bytes > 1024 :
|   collective = bcast : linear (10.0/1.3)
|   collective = reduce : pipeline (10.0/1.3)
3 leaves, 0 errors; reduce of 4096 bytes: pipeline

Rule 1:
    	bytes <= 1024
	->  class binomial  [93.9%]

Rule 2:
    	collective = bcast
    	bytes > 1024
	->  class linear  [87.1%]

Rule 3:
    	collective = reduce
    	bytes > 1024
	->  class pipeline  [87.1%]

Default class: binomial
bcast of 65536 bytes: linear
END
