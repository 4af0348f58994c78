// The members of a zip archive in memory, such as a .npz file of numpy. Call ZipArchive::open, then read()
// for a member; its bytes are checked against the checksum that the archive stores.
//
// Stored and deflated members are supported; encrypted ones, archives in several parts and those beyond 4 GiB
// (zip64) are refused. Nothing in the archive is trusted: no member is unpacked to more than it announces,
// and none may announce more than deflate can make of its bytes. Tested in
// espalier/data/formats/scores_reader_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"

namespace espalier {

class ZipArchive {
 public:
  struct Member {
    std::string name;
    uint16_t method = 0;
    uint32_t checksum = 0, packed = 0, size = 0, offset = 0;
  };
  /// Whether bytes begin as those of a zip archive do.
  static bool recognise(std::string_view bytes) { return bytes.starts_with("PK\3\4"); }
  /// `bytes` must outlive the archive; error messages call it `name`.
  static Result<ZipArchive> open(std::string_view bytes, std::string name);

  const std::vector<Member>& members() const { return members_; }
  /// The contents of a member.
  Result<std::string> read(const Member& member) const;

 private:
  std::string_view bytes_;
  std::string name_;
  std::vector<Member> members_;
};

}  // namespace espalier
