// SPDX-License-Identifier: BSD-3-Clause
// Reading JSON that people may have edited or cut: every mistake is an Error that names the field.
// (nlohmann's own conversions turn -1 and 1.5 into numbers silently.)
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {

const nlohmann::json& json_field(const nlohmann::json& object, std::string_view field);
const nlohmann::json& json_object(const nlohmann::json& object, std::string_view field);
const nlohmann::json& json_array(const nlohmann::json& object, std::string_view field);
std::string json_string(const nlohmann::json& object, std::string_view field);
std::uint64_t json_unsigned(const nlohmann::json& object, std::string_view field,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// A field that may be missing.
bool json_flag_or(const nlohmann::json& object, std::string_view field, bool otherwise);
std::string json_string_or(const nlohmann::json& object, std::string_view field,
                           std::string_view otherwise);
double json_number(const nlohmann::json& object, std::string_view field);
// An element rather than a field; `what` names it in errors.
std::uint64_t json_unsigned_value(const nlohmann::json& value, std::string_view what,
                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// Each element of an array field, one after the other; an Error of `read` gets its place in front:
// "nodes[17]: ...".
void json_each(const nlohmann::json& object, std::string_view field,
               const std::function<void(const nlohmann::json& element)>& read);
std::vector<std::uint64_t> json_unsigned_list(
    const nlohmann::json& object, std::string_view field,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace colltree
