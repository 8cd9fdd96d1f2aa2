// SPDX-License-Identifier: BSD-3-Clause
// Reading JSON that people may have edited or cut: every mistake is an Error that names the field.
// (Json::get turns 1.5 into 1 silently.)
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace colltree {

const Json& json_field(const Json& object, std::string_view field);
const Json& json_object(const Json& object, std::string_view field);
const Json& json_array(const Json& object, std::string_view field);
std::string json_string(const Json& object, std::string_view field);
std::uint64_t json_unsigned(const Json& object, std::string_view field,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// A field that may be missing.
bool json_flag_or(const Json& object, std::string_view field, bool otherwise);
std::string json_string_or(const Json& object, std::string_view field, std::string_view otherwise);
double json_number(const Json& object, std::string_view field);
// An element rather than a field; `what` names it in errors.
std::uint64_t json_unsigned_value(const Json& value, std::string_view what,
                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// Each element of an array field, one after the other; an Error of `read` gets its place in front:
// "nodes[17]: ...".
void json_each(const Json& object, std::string_view field,
               const std::function<void(const Json& element)>& read);
std::vector<std::uint64_t> json_unsigned_list(
    const Json& object, std::string_view field,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace colltree
