import { type Document, MongoClient } from 'mongodb'

export interface FailPoint {
  /** Fails the next commands of the application: one, unless `mode` says otherwise. */
  set(data: Document, mode?: Document | 'alwaysOn'): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}

/** Null if the deployment has no fail points. MongoDB needs `enableTestCommands` for them. */
export async function openFailPoint(uri: string, appName: string): Promise<FailPoint | null> {
  const client = await MongoClient.connect(uri, { appName: `${appName}-probe` })
  const configure = (mode: unknown, data: Document = {}): Promise<Document> =>
    client.db('admin').command({ configureFailPoint: 'failCommand', mode, data })
  // DocumentDB accepts the command without an effect.
  const works = async (): Promise<boolean> => {
    await configure(
      { times: 1 },
      { appName: `${appName}-probe`, failCommands: ['ping'], errorCode: 2 },
    )
    return client
      .db('admin')
      .command({ ping: 1 })
      .then(
        () => false,
        () => true,
      )
  }
  if (!(await works().catch(() => false))) {
    await client.close()
    return null
  }
  return {
    set: async (data, mode = { times: 1 }) => {
      await configure(mode, { appName, ...data })
    },
    clear: async () => {
      await configure('off')
    },
    close: () => client.close(),
  }
}
