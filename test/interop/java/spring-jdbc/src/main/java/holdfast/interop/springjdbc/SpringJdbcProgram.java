package holdfast.interop.springjdbc;

import com.fasterxml.jackson.databind.JsonNode;
import holdfast.interop.lines.Lines;
import holdfast.interop.lines.Reflected;
import java.util.ArrayList;
import java.util.List;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * A program that uses lock registries of Spring Integration in a database. Its one argument is a list of settings, a
 * registry for each; a line says which of them, and the name of a lock for its methods, or none for those of the registry.
 */
public final class SpringJdbcProgram {
  private final List<LockRegistry> registries = new ArrayList<>();

  public static void main(String[] args) throws Exception {
    SpringJdbcProgram program = new SpringJdbcProgram();
    for (JsonNode settings : Lines.plan(args[0])) {
      program.registries.add(JdbcRegistries.open(settings));
    }
    Lines.serve(program::carryOut);
    Runtime.getRuntime().halt(0);
  }

  private Object carryOut(JsonNode line) throws Exception {
    LockRegistry registry = registries.get(line.path("client").asInt());
    Object target = line.has("name") ? registry.obtain(line.path("name").asText()) : registry;
    return Reflected.call(target, line.path("method").asText(), line.path("args"));
  }
}
