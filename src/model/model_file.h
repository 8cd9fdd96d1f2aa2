// SPDX-License-Identifier: BSD-3-Clause
// A model as a file, M.json (docs/formats/model.md): the only place where models are JSON.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/json.h"
#include "model/model.h"

namespace colltree {

inline constexpr std::uint64_t kModelFormat = 2;  // the only version that is read

// The whole content of M.json, of that version.
Json to_json(const Model& model);
// Throws Error that says what is missing, wrong, unknown or of another version.
Model model_from_json(const Json& envelope);

void save_model(const Model& model, const std::filesystem::path& path);
// Throws ParseError (not JSON, with the line) or Error ("FILE: what").
Model load_model(const std::filesystem::path& path);

}  // namespace colltree
