package holdfast.interop.springjdbc;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Constructor;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.jdbc.lock.LockRepository;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Registries by their settings. */
final class JdbcRegistries {
  private JdbcRegistries() {}

  static LockRegistry open(JsonNode settings) throws ReflectiveOperationException {
    DataSource database = databaseOf(settings.path("database"));
    int timeToLiveMs = settings.path("timeToLive").asInt();
    DefaultLockRepository repository = new DefaultLockRepository(database);
    repository.setPrefix(settings.path("prefix").asText());
    repository.setRegion(settings.path("region").asText());
    repository.setTimeToLive(timeToLiveMs);
    repository.setTransactionManager(new DataSourceTransactionManager(database));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    return registryOf(repository, Duration.ofMillis(timeToLiveMs));
  }

  private static DataSource databaseOf(JsonNode place) {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setServerNames(new String[] {"127.0.0.1"});
    database.setPortNumbers(new int[] {place.path("port").asInt()});
    database.setDatabaseName(place.path("name").asText());
    database.setUser(place.path("user").asText());
    database.setPassword(place.path("password").asText());
    return database;
  }

  /** Since 7.0 it is the registry that knows how long its locks last. */
  private static LockRegistry registryOf(LockRepository repository, Duration timeToLive)
      throws ReflectiveOperationException {
    for (Constructor<?> constructor : JdbcLockRegistry.class.getConstructors()) {
      if (constructor.getParameterCount() == 2) {
        return (LockRegistry) constructor.newInstance(repository, timeToLive);
      }
    }
    return new JdbcLockRegistry(repository);
  }
}
