package holdfast.interop.lines;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/**
 * Does what it is told, one line of JSON each, and answers each by one line: {@code {"id":1,"thread":"a",…}} by
 * {@code {"id":1,"value":…}} or {@code {"id":1,"error":"IllegalMonitorStateException","message":"…"}}.
 *
 * <p>The owner of a Java lock is a thread. So each line says on which thread it is to be carried out: threads are made
 * when they are first named, and each does one thing after the other.
 */
public final class Lines {
  /** Carries out one line, on the thread that it names. */
  public interface Carrier {
    Object carryOut(JsonNode line) throws Exception;
  }

  private static final ObjectMapper JSON = new ObjectMapper();

  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
  private final Map<String, NamedThread> threads = new ConcurrentHashMap<>();
  private final Carrier carrier;

  private Lines(Carrier carrier) {
    this.carrier = carrier;
  }

  public static JsonNode plan(String text) throws IOException {
    return JSON.readTree(text);
  }

  /** Returns when there are no more lines: whoever told us what to do has ended. */
  public static void serve(Carrier carrier) throws IOException {
    Lines lines = new Lines(carrier);
    lines.tell(Map.of("ready", true));
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String text = in.readLine(); text != null; text = in.readLine()) {
        lines.accept(JSON.readTree(text));
      }
    }
  }

  private void accept(JsonNode line) {
    NamedThread thread = threads.computeIfAbsent(line.path("thread").asText("main"), NamedThread::new);
    if (line.path("parked").asBoolean()) {
      answer(line, thread.isParked());
    } else if (line.path("interrupt").asBoolean()) {
      thread.interrupt();
      answer(line, null);
    } else {
      thread.execute(() -> carryOut(line));
    }
  }

  private void carryOut(JsonNode line) {
    try {
      answer(line, carrier.carryOut(line));
    } catch (Throwable error) {
      refuse(line, causeOf(error));
    }
  }

  private void answer(JsonNode line, Object value) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("id", line.path("id").asLong());
    answer.put("value", value);
    tell(answer);
  }

  private void refuse(JsonNode line, Throwable error) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("id", line.path("id").asLong());
    answer.put("error", error.getClass().getSimpleName());
    answer.put("message", error.getCause() == null ? error.getMessage() : error.getMessage() + ": " + error.getCause());
    tell(answer);
  }

  private void tell(Object answer) {
    try {
      String text = JSON.writeValueAsString(answer);
      synchronized (out) {
        out.println(text);
        out.flush();
      }
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  /** What the library threw, without what reflection and futures have put around it. */
  private static Throwable causeOf(Throwable error) {
    boolean wrapped =
        error instanceof InvocationTargetException
            || error instanceof ExecutionException
            || error instanceof CompletionException;
    return wrapped && error.getCause() != null ? causeOf(error.getCause()) : error;
  }
}
