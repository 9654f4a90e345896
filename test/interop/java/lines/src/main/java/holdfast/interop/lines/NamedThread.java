package holdfast.interop.lines;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** One Java thread that does one thing after the other. It does not keep the program alive. */
final class NamedThread {
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final Thread thread;

  NamedThread(String name) {
    thread = new Thread(this::work, name);
    thread.setDaemon(true);
    thread.start();
  }

  void execute(Runnable task) {
    tasks.add(task);
  }

  /** Interrupts what it is doing. */
  void interrupt() {
    thread.interrupt();
  }

  /** Whether it has gone to sleep until it is told something, and does not wait for an answer of the server. */
  boolean isParked() {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().equals("java.util.concurrent.Semaphore")) {
        return true;
      }
    }
    return false;
  }

  private void work() {
    for (; ; ) {
      try {
        tasks.take().run();
      } catch (InterruptedException never) {
        throw new IllegalStateException(never);
      }
    }
  }
}
