const titles: Readonly<Record<string, string>> = {
  memory: 'Inside one process',
  redis: 'Redis',
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  mysql: 'MariaDB',
  zookeeper: 'ZooKeeper',
  etcd: 'etcd',
};

export function engineTitle(engine: string): string {
  return titles[engine] ?? engine;
}
