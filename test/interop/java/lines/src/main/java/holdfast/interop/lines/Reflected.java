package holdfast.interop.lines;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Calls a method by its name with arguments of JSON, so that tests can use all of a library's interface. A number is an
 * int or a long, a text a String or the name of a constant, {@code {"ms":5}} a Duration, a list a List.
 */
public final class Reflected {
  private Reflected() {}

  public static Object call(Object target, String name, JsonNode args) throws Exception {
    for (Method method : methodsOf(target, name, args.size())) {
      Object[] values = valuesFor(method.getParameterTypes(), args);
      if (values != null) {
        return resultOf(method.invoke(target, values));
      }
    }
    throw new NoSuchMethodException(target.getClass().getSimpleName() + "." + name + args);
  }

  /** Those of its interfaces first: the classes that implement them may be private to their library. */
  private static List<Method> methodsOf(Object target, String name, int count) {
    Set<Class<?>> types = new LinkedHashSet<>();
    for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
      for (Class<?> one : type.getInterfaces()) {
        addWithParents(one, types);
      }
    }
    for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
      if (Modifier.isPublic(type.getModifiers())) {
        types.add(type);
      }
    }
    List<Method> found = new ArrayList<>();
    for (Class<?> type : types) {
      for (Method method : type.getDeclaredMethods()) {
        boolean fits = method.getName().equals(name) && method.getParameterCount() == count;
        if (fits && Modifier.isPublic(method.getModifiers())) {
          found.add(method);
        }
      }
    }
    return found;
  }

  private static void addWithParents(Class<?> type, Set<Class<?>> types) {
    if (types.add(type)) {
      for (Class<?> parent : type.getInterfaces()) {
        addWithParents(parent, types);
      }
    }
  }

  private static Object[] valuesFor(Class<?>[] types, JsonNode args) {
    Object[] values = new Object[types.length];
    for (int at = 0; at < types.length; at++) {
      values[at] = valueFor(types[at], args.get(at));
      if (values[at] == null) {
        return null;
      }
    }
    return values;
  }

  /** Null if it does not fit. */
  private static Object valueFor(Class<?> type, JsonNode arg) {
    if (arg.isIntegralNumber()) {
      if (type == long.class) {
        return arg.asLong();
      }
      return type == int.class ? arg.asInt() : null;
    }
    if (arg.isTextual()) {
      if (type == String.class || type == Object.class) {
        return arg.asText();
      }
      return type.isEnum() ? constantOf(type, arg.asText()) : null;
    }
    if (arg.isObject()) {
      return type == Duration.class ? Duration.ofMillis(arg.path("ms").asLong()) : null;
    }
    if (arg.isArray() && type == List.class) {
      List<String> values = new ArrayList<>();
      arg.forEach(one -> values.add(one.asText()));
      return values;
    }
    return null;
  }

  private static Object constantOf(Class<?> type, String name) {
    for (Object constant : type.getEnumConstants()) {
      if (((Enum<?>) constant).name().equals(name)) {
        return constant;
      }
    }
    return null;
  }

  /** What can be written as JSON; of anything else that there is something. */
  private static Object resultOf(Object result) throws Exception {
    if (result instanceof CompletionStage<?> later) {
      return resultOf(later.toCompletableFuture().get());
    }
    boolean plain =
        result == null
            || result instanceof Number
            || result instanceof Boolean
            || result instanceof String
            || result instanceof Collection;
    return plain ? result : result.getClass().isArray() ? Array.getLength(result) : String.valueOf(result);
  }
}
