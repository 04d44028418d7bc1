import { randomUUID } from 'node:crypto'
import { type Document, MongoClient } from 'mongodb'
import type { OutboxHost } from './outbox-hosts.ts'

/** What a backup holds of some notes and of the devices. */
export interface OutboxBackup {
  readonly notes: readonly Document[]
  readonly clients: readonly Document[]
}

const NOTES = 'note_versions'
const CLIENTS = 'quire_clients'

/** Backs up notes, and restores them as `quire log restart` does, with another id of the log. */
export async function openBackups(host: Pick<OutboxHost, 'server'>) {
  const client = await MongoClient.connect(host.server.uri)
  const db = client.db(host.server.database)
  return {
    take: async (documentIds: readonly string[]): Promise<OutboxBackup> => ({
      notes: await db
        .collection(NOTES)
        .find({ documentId: { $in: [...documentIds] } })
        .toArray(),
      clients: await db.collection(CLIENTS).find().toArray(),
    }),
    /** Deletes all notes and devices of earlier histories, which each new device would read. */
    clear: async (): Promise<void> => {
      await db.collection(NOTES).deleteMany({})
      await db.collection(CLIENTS).deleteMany({})
    },
    restore: async (
      { notes, clients }: OutboxBackup,
      documentIds: readonly string[],
    ): Promise<void> => {
      await host.server.settled()
      await db.collection(NOTES).deleteMany({ documentId: { $in: [...documentIds] } })
      await db.collection(NOTES).insertMany([...notes])
      await db.collection(CLIENTS).deleteMany({})
      if (clients.length > 0) await db.collection(CLIENTS).insertMany([...clients])
      await db.collection('quire_heads').updateMany({}, { $set: { log: randomUUID() } })
      // The next commit shows the server the new id.
      await host.server.post('/api/notes', { title: 'after the restore' })
      await host.server.settled()
    },
    close: () => client.close(),
  }
}
