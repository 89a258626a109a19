/* libnvrtc.so.13 for the emulated device: programs become shared objects by the host's C++ compiler, with
 * RHX_EMULATOR_FLAGS if that is set, such as "-g -O0". Kernels are found after the
 * preprocessor; a table of them is appended for the driver. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))
namespace fs = std::filesystem;

namespace
{
struct Program {
  std::string source, log, binary;
  std::vector<std::pair<std::string, std::string>> header; // name, text
};

std::string read(const fs::path &path)
{
  std::stringstream s;
  s << std::ifstream(path, std::ios::binary).rdbuf();
  return s.str();
}

void write(const fs::path &path, const std::string &text)
{
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

bool execute(const std::string &command, const fs::path &folder, Program &p)
{
  const int code = system((command + " > '" + (folder / "log").string() + "' 2>&1").c_str());
  if (code) p.log += read(folder / "log");
  return code == 0;
}

// Arrays of dynamic shared memory become what converts to its address, others variables of the block that runs; kernels become
// functions, whose names are noted. A regular expression is asked only behind a word of the emulator's: over a whole text it is slow.
std::string translated(const std::string &text, std::vector<std::string> &kernels)
{
  static const std::regex dynamic(R"(\s+(?:__attribute__\s*\(\(aligned\(\d+\)\)\)\s+)?(\w+)\s+(\w+)\s*\[\s*\]\s*;)");
  static const std::regex external(R"(extern\s+)"), kernel(R"(\s+void\s+(\w+)\s*\()");
  static const std::string shared = "rhx_emu_shared", global = "rhx_emu_global", word = "rhx_emu_";
  const auto here = std::regex_constants::match_continuous;
  std::string result;
  std::smatch found;
  size_t done = 0;
  for (size_t at; (at = text.find(word, done)) != text.npos;) {
    const size_t begin = result.size();
    result.append(text, done, at - done);
    done = at + shared.size();
    if (text.compare(at, global.size(), global) == 0) {
      if (std::regex_search(text.begin() + done, text.end(), found, kernel, here)) kernels.push_back(found[1]);
    } else if (text.compare(at, shared.size(), shared) == 0) {
      const size_t before = result.rfind("extern");
      if (before != result.npos && before >= begin && std::regex_match(result.substr(before), external) &&
          std::regex_search(text.begin() + done, text.end(), found, dynamic, here)) {
        result.replace(before, result.npos, "static const RhxEmuDynamic<" + found.str(1) + "> " + found.str(2) + ";");
        done += found.length();
      } else
        result += "static";
    } else {
      result += word;
      done = at + word.size();
    }
  }
  return result.append(text, done, text.npos);
}

bool build(Program &p, const std::vector<std::string> &options, const fs::path &folder)
{
  std::string defines, table, arch;
  for (const std::string &o : options) {
    if (o.rfind("-D", 0) == 0) defines += " '" + o + "'";
    if (o.rfind("-arch=", 0) == 0) arch = o.substr(6);
  }
  for (const auto &h : p.header) write(folder / h.first, h.second);
  write(folder / "kernels/ptx.cuh", read(RHX_EMULATOR_FOLDER "/ptx.cuh"));
  write(folder / "program.cpp", "#include <program.h>\n#line 1 \"program.cu\"\n" + p.source);
  const char *const flags = getenv("RHX_EMULATOR_FLAGS") ? getenv("RHX_EMULATOR_FLAGS") : "-Og"; // runs nearly as fast as -O1, compiled in half the time
  const std::string in = " '" + folder.string(), compiler = RHX_EMULATOR_COMPILER " -std=c++17 -w";
  if (!execute(compiler + " -E -I" + RHX_EMULATOR_FOLDER + " -I" + in + "'" + defines + in + "/program.cpp' -o" + in +
                   "/program.ii'",
               folder, p))
    return false;
  std::vector<std::string> kernels;
  std::string text = translated(read(folder / "program.ii"), kernels);
  for (const std::string &k : kernels) {
    table += "{\"" + k + "\", [](void **a) -> void * { return rhx_emu_copy(" + k +
             ", a); }, [](const void *c) { rhx_emu_run(" + k + ", c); }},\n";
    p.log += "ptxas info    : Compiling entry function '" + k + "' for 'emulation'\n" +
             "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used 32 registers\n";
  }
  text += "\nextern \"C\" const char rhx_emu_arch[] = \"" + arch + "\";";
  text += "\nextern \"C\" const RhxEmuKernel *rhx_emu_kernels(RhxEmuRuntime *runtime)\n{\n  rhx_emu = runtime;\n";
  text += "  static const RhxEmuKernel all[] = {" + table + "{0, 0, 0}};\n  return all;\n}\n";
  write(folder / "whole.ii", text);
  // The C library is there where a program is loaded: the linker need not read it.
  if (!execute(compiler + " -fno-gnu-unique -fPIC -shared -nostdlib " + flags + in + "/whole.ii' -lgcc -o" + in +
                   "/program.so'",
               folder, p))
    return false;
  p.binary = read(folder / "program.so");
  return true;
}
} // namespace

/* No real one: in the cache its programs must be others. */
API int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 99, 0; }
API int nvrtcCreateProgram(void **program, const char *source, const char *, int n, const char *const *text,
                           const char *const *name)
{
  Program *p = new Program{source, "", "", {}};
  for (int i = 0; i < n; i++) p->header.emplace_back(name[i], text[i]);
  *program = p;
  return 0;
}
API int nvrtcDestroyProgram(void **program) { return delete (Program *)*program, 0; }
API int nvrtcCompileProgram(void *program, int n, const char *const *option)
{
  std::string folder = "/dev/shm/rheoplex-emulated-XXXXXX"; // a disk takes longer for the headers than a compiler
  if (!mkdtemp(folder.data())) {
    folder = fs::temp_directory_path() / "rheoplex-emulated-XXXXXX";
    if (!mkdtemp(folder.data())) return 6;
  }
  const bool good = build(*(Program *)program, {option, option + n}, folder);
  fs::remove_all(folder);
  return good ? 0 : 6;
}
API int nvrtcGetCUBINSize(void *program, size_t *bytes) { return *bytes = ((Program *)program)->binary.size(), 0; }
API int nvrtcGetCUBIN(void *program, char *cubin)
{
  const std::string &b = ((Program *)program)->binary;
  return memcpy(cubin, b.data(), b.size()), 0;
}
API int nvrtcGetProgramLogSize(void *program, size_t *bytes)
{
  return *bytes = ((Program *)program)->log.size() + 1, 0;
}
API int nvrtcGetProgramLog(void *program, char *log) { return strcpy(log, ((Program *)program)->log.c_str()), 0; }
API const char *nvrtcGetErrorString(int code) { return code ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS"; }
