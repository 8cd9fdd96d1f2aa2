// SPDX-License-Identifier: BSD-3-Clause
// Reading JSON that people may have edited or cut: every mistake is an Error that names the field.
// (nlohmann's own conversions turn -1 and 1.5 into numbers silently.)
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace colltree {

const nlohmann::json& json_field(const nlohmann::json& object, std::string_view field);
const nlohmann::json& json_object(const nlohmann::json& object, std::string_view field);
const nlohmann::json& json_array(const nlohmann::json& object, std::string_view field);
std::string json_string(const nlohmann::json& object, std::string_view field);
std::uint64_t json_unsigned(const nlohmann::json& object, std::string_view field,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
double json_number(const nlohmann::json& object, std::string_view field);
// An element rather than a field; `what` names it in errors.
std::uint64_t json_unsigned_value(const nlohmann::json& value, std::string_view what,
                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
std::vector<std::uint64_t> json_unsigned_list(
    const nlohmann::json& object, std::string_view field,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace colltree
