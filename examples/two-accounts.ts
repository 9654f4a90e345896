// A transfer that holds the locks of two accounts, or none.
//
// One process transfers from ada to ben, another at the same time from ben to ada. With one lock after the other each could hold what
// the other waits for. A multi-lock acquires in one order everywhere, and releases what it has before it waits for another member.
//
// The accounts are files of a folder here. In one SQL database a transaction does the same; a multi-lock is for things that no
// transaction covers, and its locks may lie in two stores.
//
//   echo 100 > ada; echo 100 > ben
//   node two-accounts.ts ada ben 5
//
import { readFile, writeFile } from 'node:fs/promises';
import { connect, multiLock } from 'holdfast';

const [from = '', to = '', times = '1'] = process.argv.slice(2);
const locks = await connect();
const both = multiLock([locks.lock(`account:${from}`), locks.lock(`account:${to}`)]);

async function add(account: string, amount: number): Promise<void> {
  const balance = Number(await readFile(account, 'utf8'));
  await writeFile(account, `${balance + amount}\n`);
}

try {
  for (let done = 0; done < Number(times); done++) {
    await both.run(
      async (hold) => {
        hold.throwIfLost();
        await add(from, -1);
        await add(to, 1);
      },
      { timeoutMs: 30_000 },
    );
  }
  console.log(`transferred ${times} from ${from} to ${to}`);
} finally {
  await locks.close();
}
