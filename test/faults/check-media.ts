import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { MediaReport } from '../../src/media/check-media.ts'

const CLI = fileURLToPath(new URL('../../src/cli/cli.js', import.meta.url))

/** The report of `quire media check`, run in its own process. No file is too recent for it. */
export async function checkMedia(
  env: Readonly<Record<string, string>>,
  storage: string,
): Promise<MediaReport> {
  const child = spawn(process.execPath, [CLI, 'media', 'check', '--json', '--grace', '0'], {
    env: { PATH: process.env['PATH'] ?? '', UPLOAD_STORAGE: storage, ...env },
  })
  const exited = once(child, 'exit')
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)])
  await exited
  if (out === '') throw new Error(`quire media check said nothing: ${error}`)
  return JSON.parse(out) as MediaReport
}
