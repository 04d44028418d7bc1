import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MediaStorage } from '../../media/storage/storage.ts'
import type { Finding } from './finding.ts'

const CONTENT = 'quire doctor was here'

export async function examineStorage(open: () => Promise<MediaStorage>): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-doctor-'))
  try {
    const storage = await open()
    const name = `quire-doctor-${randomUUID()}.txt`
    const file = join(folder, name)
    await writeFile(file, CONTENT)
    await storage.put(name, file)
    try {
      const stored = await storage.get(name)
      if (stored?.size !== CONTENT.length) throw new Error('a stored file cannot be read back')
    } finally {
      await storage.remove(name)
    }
    return { check: 'storage', level: 'ok', what: `${storage.provider} stores and returns files` }
  } catch (error) {
    const what = `files cannot be stored: ${(error as Error).message}`
    return { check: 'storage', level: 'fault', what }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
