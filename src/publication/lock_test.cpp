// One writer at a time, and never a lock that its holder left behind.
#include "publication/lock.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <thread>

#include "throng/error.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

class LockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "throng_lock_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = (folder_ / "lock").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string refusal(double seconds = 0) const {
    try {
      const Lock lock(path_, "publish", seconds);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no InputError";
  }
  // A process that holds the lock until it is killed.
  pid_t start_holder() const {
    int ready[2];
    if (::pipe(ready) != 0) return -1;
    const pid_t child = ::fork();
    if (child == 0) {
      const Lock lock(path_, "append", 0);
      if (::write(ready[1], "x", 1) == 1) ::pause();
      ::_exit(1);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
  }
  static void end(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(LockTest, IsHadAndGivenBack) {
  EXPECT_TRUE(Lock::is_free(path_));
  EXPECT_FALSE(fs::exists(path_));  // asking makes nothing
  for (int round = 0; round < 3; ++round) {
    const Lock lock(path_, "append", 0);
    EXPECT_FALSE(Lock::is_free(path_));
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600U);
  }
  EXPECT_TRUE(Lock::is_free(path_));
  EXPECT_EQ(fs::file_size(path_), 0U);
}

TEST_F(LockTest, TheHolderIsNamed) {
  const pid_t child = start_holder();
  EXPECT_FALSE(Lock::is_free(path_));
  const std::string error = refusal();
  const std::regex expected(R"(.*/lock is held by pid (\d+) on \S+, append, since )"
                            R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ; try again when it has finished)");
  std::smatch match;
  EXPECT_TRUE(std::regex_match(error, match, expected)) << error;
  EXPECT_EQ(match[1], std::to_string(child));
  end(child);
}

TEST_F(LockTest, DiesWithItsHolder) {
  const pid_t child = start_holder();
  EXPECT_NE(refusal(), "no InputError");
  end(child);
  EXPECT_TRUE(Lock::is_free(path_));
  const Lock lock(path_, "publish", 0);
  // Of the dead one nothing is left.
  std::string line;
  std::ifstream file(path_);
  std::getline(file, line);
  EXPECT_EQ(line.find("pid " + std::to_string(::getpid()) + " on "), 0U) << line;
  EXPECT_FALSE(std::getline(file, line));
}

TEST_F(LockTest, RefusesWithinTheSameProcessToo) {
  const Lock lock(path_, "append", 0);
  EXPECT_NE(refusal().find(", append, since "), std::string::npos);
}

TEST_F(LockTest, WaitsAsLongAsItWasTold) {
  using Clock = std::chrono::steady_clock;
  auto held = std::make_unique<Lock>(path_, "append", 0);
  const auto begin = Clock::now();
  EXPECT_NE(refusal(0.2), "no InputError");
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(200));
  std::thread holder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    held.reset();
  });
  EXPECT_EQ(refusal(60), "no InputError");
  holder.join();
}

TEST_F(LockTest, AskingRefusesNobody) {
  std::atomic<bool> stop = false;
  std::thread asking([&] {
    while (!stop) {
      Lock::is_free(path_);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (int round = 0; round < 200; ++round) {
    ASSERT_EQ(refusal(), "no InputError");
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  stop = true;
  asking.join();
}

// Who waits for a file that is removed meanwhile must not hold a lock that nobody else sees.
TEST_F(LockTest, IsOnTheFileThatIsThere) {
  auto held = std::make_unique<Lock>(path_, "append", 0);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    fs::remove(path_);
    held.reset();
  });
  {
    const Lock lock(path_, "publish", 60);
    EXPECT_FALSE(Lock::is_free(path_));
  }
  other.join();
}

TEST_F(LockTest, AFolderThatIsNotThereIsNamed) {
  path_ = (folder_ / "none" / "lock").string();
  EXPECT_EQ(refusal(), path_ + ": cannot be locked: No such file or directory");
  EXPECT_TRUE(Lock::is_free(path_));
}

}  // namespace
}  // namespace throng
