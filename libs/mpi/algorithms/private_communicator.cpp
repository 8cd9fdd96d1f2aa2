// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/private_communicator.h"

#include <new>

#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

int free_attribute(MPI_Comm, int, void* value, void*) {
  auto* attribute = static_cast<MPI_Comm*>(value);
  const int rc = PMPI_Comm_free(attribute);
  delete attribute;
  return rc;
}

int make_keyval(MPI_Comm_delete_attr_function* on_delete) {
  int created = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &created, nullptr);
  return created;
}

int keyval() {
  static const int key = make_keyval(free_attribute);
  return key;
}

// The private communicator; null: there is none.
MPI_Comm* find_attribute(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval(), &value, &found) != MPI_SUCCESS || !found) return nullptr;
  return static_cast<MPI_Comm*>(value);
}

#ifndef COLLTREE_SMPI
int release_world(MPI_Comm, int, void*, void*) {
  return release_private_communicator(MPI_COMM_WORLD);
}

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, while MPI still works.
int release_world_before_finalize() {
  static const int key = make_keyval(release_world);
  void* value = nullptr;
  int found = 0;
  COLLTREE_TRY(PMPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &found));
  return found ? MPI_SUCCESS : PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}
#endif

// Created by group, not by MPI_Comm_dup, which would run the copy callbacks of the user's
// attributes.
int create(MPI_Comm comm, MPI_Comm* created) {
  MPI_Group group = MPI_GROUP_NULL;
  COLLTREE_TRY(PMPI_Comm_group(comm, &group));
  const int rc = PMPI_Comm_create(comm, group, created);
  PMPI_Group_free(&group);
  if (rc != MPI_SUCCESS) return rc;
  return PMPI_Comm_set_errhandler(*created, MPI_ERRORS_RETURN);
}

int attach(MPI_Comm comm, MPI_Comm created) {
  auto* attribute = new (std::nothrow) MPI_Comm(created);
  if (attribute == nullptr) return MPI_ERR_NO_MEM;
  COLLTREE_TRY(PMPI_Comm_set_attr(comm, keyval(), attribute));
#ifndef COLLTREE_SMPI
  if (comm == MPI_COMM_WORLD) return release_world_before_finalize();
#endif
  return MPI_SUCCESS;
}

}  // namespace

int private_communicator(MPI_Comm comm, MPI_Comm* result) {
  if (const MPI_Comm* known = find_attribute(comm)) {
    *result = *known;
    return MPI_SUCCESS;
  }
  COLLTREE_TRY(create(comm, result));
  // All ranks of the simulator share MPI_COMM_WORLD with its attributes. Creation waits for every
  // rank, so nobody saw an attribute before; the first to come back sets it and the others take
  // that attribute.
  if (const MPI_Comm* known = find_attribute(comm)) {
    COLLTREE_TRY(PMPI_Comm_free(result));
    *result = *known;
    return MPI_SUCCESS;
  }
  return attach(comm, *result);
}

int release_private_communicator(MPI_Comm comm) {
  return find_attribute(comm) == nullptr ? MPI_SUCCESS : PMPI_Comm_delete_attr(comm, keyval());
}

}  // namespace colltree::algorithms
