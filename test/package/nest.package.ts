import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Project, runIn } from './project.ts';

const SERVICE = `import { Injectable } from '@nestjs/common';
import { AcquireTimeoutError, type Locks } from 'holdfast';
import { InjectLocks, Locked, OncePer } from 'holdfast/nestjs';

@Injectable()
export class AppService {
  constructor(@InjectLocks() private readonly locks: Locks) {}

  async getHello(): Promise<string> {
    return this.locks.lock('greeting').run(async () => {
      const late = await this.greet('World');
      return this.locks.lock('greeting').run(() => late);
    });
  }

  @Locked('greeting:{name}', { timeoutMs: 1_000 })
  async greet(name: string): Promise<string> {
    const isLocked = await this.locks.lock('greeting:World').isLocked();
    return isLocked && (await this.daily()) === 1 ? 'Hello ' + name + '!' : 'nothing';
  }

  @OncePer(86_400_000, { name: 'daily', engine: 'archive' })
  async daily(): Promise<number> {
    return 1;
  }

  isLate(error: unknown): boolean {
    return error instanceof AcquireTimeoutError;
  }
}
`;
const MODULE = `import { Module } from '@nestjs/common';
import { memory } from 'holdfast/memory';
import { TerminusModule } from '@nestjs/terminus';
import { LocksModule } from 'holdfast/nestjs';
import { AppController } from 'APP_CONTROLLER';
import { AppService } from 'APP_SERVICE';
import { HealthController } from 'HEALTH_CONTROLLER';

@Module({
  imports: [TerminusModule, IMPORTS],
  controllers: [AppController, HealthController],
  providers: [AppService],
})
export class AppModule {}
`;
const CONTROLLER = `import { Controller, Get } from '@nestjs/common';
import { AppService } from 'APP_SERVICE';

@Controller()
export class AppController {
  constructor(private readonly appService: AppService) {}

  @Get()
  async getHello(): Promise<string> {
    return this.appService.getHello();
  }
}
`;

const HEALTH = `import { Controller, Get, Inject } from '@nestjs/common';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { healthToken, LocksHealth } from 'holdfast/nestjs';

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: LocksHealth,
    @Inject(healthToken('archive')) private readonly archive: LocksHealth,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.locks.check(), () => this.archive.check('archive')]);
  }
}
`;
const IMPORTS = `LocksModule.forRoot({ locks: memory() }),
    LocksModule.forRootAsync({ engine: 'archive', useFactory: async () => memory({ label: 'archive' }) })`;

// 11 is the last whose projects are CommonJS and tested by Jest; those of 12 are ES modules and tested by Vitest.
test.each([
  { version: '11.0.24', name: 'nest-11', terminus: '11.1.1', passed: /Tests: +(\d) passed/ },
  { version: '12.0.8', name: 'nest-12', terminus: '12.1.0', passed: /Tests +(\d) passed/ },
])(
  'a project of Nest $version, as its command line makes it',
  async ({ version, name, terminus, passed }) => {
    const cli = new Project(`${name}-cli`, { '@nestjs/cli': version });
    const made = join(cli.folder, 'made');
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made);
    const options = [
      '--skip-git',
      '--skip-install',
      '--package-manager',
      'npm',
      '--language',
      'TS',
      '--strict',
    ];
    await runIn(made, process.execPath, [
      join(cli.folder, 'node_modules/@nestjs/cli/bin/nest.js'),
      'new',
      name,
      ...options,
    ]);

    const read = (file: string) => readFileSync(join(made, name, file), 'utf8');
    const { dependencies, ...manifest } = JSON.parse(read('package.json')) as {
      readonly dependencies: Record<string, string>;
    };
    const project = new Project(name, { ...dependencies, '@nestjs/terminus': terminus }, manifest);
    const files = await runIn(join(made, name), 'find', ['.', '-type', 'f', '-not', '-name', 'package.json']);
    for (const file of files.trim().split('\n')) project.write(file, read(file));

    const service = /from '(\.\/app\.service[^']*)'/.exec(read('src/app.controller.ts'))?.[1] ?? '';
    project.write('src/app.service.ts', SERVICE);
    project.write('src/app.controller.ts', CONTROLLER.replace('APP_SERVICE', service));
    project.write(
      'src/app.module.ts',
      MODULE.replace('APP_SERVICE', service)
        .replace('APP_CONTROLLER', service.replace('service', 'controller'))
        .replace('HEALTH_CONTROLLER', service.replace('app.service', 'health.controller'))
        .replace('IMPORTS', IMPORTS),
    );
    project.write('src/health.controller.ts', HEALTH);
    project.write(
      'test/health.e2e-spec.ts',
      read('test/app.e2e-spec.ts')
        .replace(".get('/')", ".get('/health')")
        .replace("'Hello World!'", '/"locks":{"status":"up"},"archive":{"status":"up"}/'),
    );
    project.write(
      'src/app.controller.spec.ts',
      read('src/app.controller.spec.ts')
        .replace(/it\('([^']*)', \(\) =>/, "it('$1', async () =>")
        .replace(/expect\((appController\.getHello\(\))\)/, 'expect(await $1)')
        .replace('controllers:', `imports: [${IMPORTS}],\n      controllers:`)
        .replace(
          /^/,
          "import { memory } from 'holdfast/memory';\nimport { LocksModule } from 'holdfast/nestjs';\n",
        ),
    );
    const countIn = (output: string) => Number(passed.exec(output)?.[1]);
    expect(countIn(await project.npm('test'))).toBe(1);
    expect(countIn(await project.npm('run', 'test:e2e'))).toBe(2);
    await project.npm('run', 'build');
    const built = join(project.folder, 'dist/app.service.js');
    expect(existsSync(built)).toBe(true);
    project.write(
      'dist/greet.mjs',
      `const { NestFactory } = await import('@nestjs/core');
    const { AppModule } = await import('./app.module.js');
    const { AppService } = await import('./app.service.js');
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    console.log(await app.get(AppService).getHello());
    await app.close();`,
    );
    expect(await runIn(dirname(built), process.execPath, ['greet.mjs'])).toBe('Hello World!\n');
  },
);
