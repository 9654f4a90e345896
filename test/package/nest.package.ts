import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Project, runIn } from './project.ts';

const SERVICE = `import { Injectable } from '@nestjs/common';
import { AcquireTimeoutError } from 'holdfast';
import { memory } from 'holdfast/memory';

@Injectable()
export class AppService {
  private readonly lock = memory().lock('greeting');

  async getHello(): Promise<string> {
    return this.lock.run(async () => {
      const late = await memory().lock('other').run(() => 'Hello World!');
      return this.lock.run(() => late);
    });
  }

  isLate(error: unknown): boolean {
    return error instanceof AcquireTimeoutError;
  }
}
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

// 11 is the last whose projects are CommonJS and tested by Jest; those of 12 are ES modules and tested by Vitest.
test.each([
  { version: '11.0.24', name: 'nest-11', passed: /Tests: +1 passed/ },
  { version: '12.0.8', name: 'nest-12', passed: /Tests +1 passed/ },
])('a project of Nest $version, as its command line makes it', async ({ version, name, passed }) => {
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
  const project = new Project(name, dependencies, manifest);
  const files = await runIn(join(made, name), 'find', ['.', '-type', 'f', '-not', '-name', 'package.json']);
  for (const file of files.trim().split('\n')) project.write(file, read(file));

  const service = /from '(\.\/app\.service[^']*)'/.exec(read('src/app.controller.ts'))?.[1] ?? '';
  project.write('src/app.service.ts', SERVICE);
  project.write('src/app.controller.ts', CONTROLLER.replace('APP_SERVICE', service));
  project.write(
    'src/app.controller.spec.ts',
    read('src/app.controller.spec.ts')
      .replace(/it\('([^']*)', \(\) =>/, "it('$1', async () =>")
      .replace(/expect\((appController\.getHello\(\))\)/, 'expect(await $1)'),
  );
  expect(await project.npm('test')).toMatch(passed);
  await project.npm('run', 'build');
  const built = join(project.folder, 'dist/app.service.js');
  expect(existsSync(built)).toBe(true);
  project.write(
    'dist/greet.mjs',
    `const { AppService } = await import('./app.service.js');
    console.log(await new AppService().getHello());`,
  );
  expect(await runIn(dirname(built), process.execPath, ['greet.mjs'])).toBe('Hello World!\n');
});
