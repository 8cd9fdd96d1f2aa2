// SPDX-License-Identifier: BSD-3-Clause
// The functions that the rows of rule_target.cpp point to: one file a format.
#pragma once

#include "emit/rules/rule_target.h"

namespace colltree {

std::string write_openmpi_text(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_openmpi_text(const RuleTarget&, std::string_view content);
std::string write_openmpi_json(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_openmpi_json(const RuleTarget&, std::string_view content);
std::string write_openmpi_han(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_openmpi_han(const RuleTarget&, std::string_view content);
std::string write_mpich_json(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_mpich_json(const RuleTarget&, std::string_view content);

std::string write_ucc(const RuleTarget&, const RuleSet&, const std::string& comment);
std::string write_ucc_conf(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_ucc(const RuleTarget&, std::string_view content);
std::string write_nccl(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_nccl(const RuleTarget&, std::string_view content);
std::string write_intel(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_intel(const RuleTarget&, std::string_view content);
std::string write_oneccl(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_oneccl(const RuleTarget&, std::string_view content);
std::string write_smpi(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_smpi(const RuleTarget&, std::string_view content);
std::string write_rules_csv(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_rules_csv(const RuleTarget&, std::string_view content);
std::string write_rules_json(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_rules_json(const RuleTarget&, std::string_view content);
}  // namespace colltree
