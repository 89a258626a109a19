// Drawing without an X server on a ParaView that is built for X alone: a render window over an EGL context, put in the place of
// VTK's X window. ParaView in batch draws into frame buffers of one hidden window, which needs no more than a context.
#include "display.h"
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <vtkCLIOptions.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkProcessModule.h>
#include <vtkRemotingCoreConfiguration.h>
#include <vtkVersion.h>
#include <vtkVersionMacros.h>

// GLEW's own finds every function, then fails for want of GLX. VTK finds this one first.
extern "C" __attribute__((visibility("default"))) unsigned glewInit(void)
{
  constexpr unsigned no_glx_display = 4;
  static unsigned (*const own)(void) = (unsigned (*)(void))dlsym(dlopen("libGLEW.so.2.2", RTLD_NOW), "glewInit");
  const unsigned error = own ? own() : 1;
  return error == no_glx_display ? 0 : error;
}

namespace
{
EGLDisplay display = EGL_NO_DISPLAY;
EGLContext context = EGL_NO_CONTEXT;
EGLSurface surface = EGL_NO_SURFACE; // VTK asks the default frame buffer for its bits

bool make_context(EGLDisplay d)
{
  const EGLint want[] = {EGL_SURFACE_TYPE,
                         EGL_PBUFFER_BIT,
                         EGL_RENDERABLE_TYPE,
                         EGL_OPENGL_BIT,
                         EGL_RED_SIZE,
                         8,
                         EGL_GREEN_SIZE,
                         8,
                         EGL_BLUE_SIZE,
                         8,
                         EGL_ALPHA_SIZE,
                         8,
                         EGL_DEPTH_SIZE,
                         24,
                         EGL_NONE};
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                            3,
                            EGL_CONTEXT_MINOR_VERSION,
                            2,
                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                            EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
                            EGL_NONE};
  const EGLint tiny[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
  EGLConfig config;
  EGLint n = 0;

  if (d == EGL_NO_DISPLAY || !eglInitialize(d, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API)) return false;
  if (!eglChooseConfig(d, want, &config, 1, &n) || n < 1) return false;
  context = eglCreateContext(d, config, EGL_NO_CONTEXT, version);
  surface = eglCreatePbufferSurface(d, config, tiny);
  display = d;
  return context != EGL_NO_CONTEXT && surface != EGL_NO_SURFACE && eglMakeCurrent(d, surface, surface, context);
}

class EglWindow : public vtkGenericOpenGLRenderWindow
{
public:
  static EglWindow *New();
  vtkTypeMacro(EglWindow, vtkGenericOpenGLRenderWindow);
  void MakeCurrent() override { eglMakeCurrent(display, surface, surface, context); }
  void ReleaseCurrent() override { eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT); }
  bool IsCurrent() override { return eglGetCurrentContext() == context; }
  int SupportsOpenGL() override { return 1; }
  vtkTypeBool IsDirect() override { return 1; }
  void *GetGenericContext() override { return context; }
  void Initialize() override
  {
    if (this->Initialized) return;
    this->MakeCurrent();
    this->OpenGLInit();
  }
  void Render() override
  {
    this->Initialize();
    this->Superclass::Render();
  }

protected:
  EglWindow()
  {
    this->SetOffScreenRendering(1);
    this->SetShowWindow(false);
    this->SetUseOffScreenBuffers(true);
    this->SetForceMaximumHardwareLineWidth(1);
  }
  ~EglWindow() override
  {
    this->MakeCurrent();
    this->Finalize();
  }
};
vtkStandardNewMacro(EglWindow);

vtkObject *new_window() { return EglWindow::New(); }

class EglFactory : public vtkObjectFactory
{
public:
  static EglFactory *New();
  vtkTypeMacro(EglFactory, vtkObjectFactory);
  const char *GetVTKSourceVersion() override { return VTK_SOURCE_VERSION; }
  const char *GetDescription() override { return "window over EGL"; }

protected:
  EglFactory() { this->RegisterOverride("vtkRenderWindow", "EglWindow", "window over EGL", 1, new_window); }
};
vtkStandardNewMacro(EglFactory);
} // namespace

bool RhxEglOpen()
{
  auto get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
  char program[] = "rheoplex", untested[] = "--disable-xdisplay-test", *words[] = {program, untested, nullptr},
       **word = words;
  int n = 2;

  if (!get || !make_context(get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr))) return false;
  vtkNew<vtkCLIOptions> options; // the one way to switch off ParaView's tests of the display
  vtkRemotingCoreConfiguration::GetInstance()->PopulateOptions(options, vtkProcessModule::PROCESS_BATCH);
  if (!options->Parse(n, word)) return false;
  vtkObjectFactory::SetAllEnableFlags(0, "vtkRenderWindow");
  vtkNew<EglFactory> factory;
  vtkObjectFactory::RegisterFactory(factory);
  return true;
}
