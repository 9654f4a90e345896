// At most three uploads at a time, over all processes of the fleet.
//
// Each process uploads the files that it is given. A permit of a process that dies comes back by itself.
//
//   HOLDFAST_URL=redis://127.0.0.1:6379 UPLOAD_URL=http://127.0.0.1:8080/ node three-uploads-at-a-time.ts a.pdf b.pdf c.pdf d.pdf
//
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { connect } from 'holdfast';

const target = process.env.UPLOAD_URL;
if (target === undefined) throw new Error('Set UPLOAD_URL to the address that takes the files by PUT.');

const locks = await connect();
const uploads = locks.semaphore('uploads', { permits: 3 });

async function upload(file: string): Promise<void> {
  // Waits for a permit, and gives it back when the function ends or throws.
  await uploads.run(async ({ lost }) => {
    const body = await readFile(file);
    // `lost` aborts the upload if the permit is lost: then another process may have it.
    const response = await fetch(new URL(basename(file), target), { method: 'PUT', body, signal: lost });
    if (!response.ok) throw new Error(`${file} was not uploaded: the server answered ${response.status}`);
  });
  console.log(`uploaded ${file}`);
}

try {
  await Promise.all(process.argv.slice(2).map(upload));
} finally {
  await locks.close();
}
