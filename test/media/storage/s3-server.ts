import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { S3Config } from '../../../src/base/config/sections.ts'

const BUCKET = 'quire-test'
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

export interface S3Server {
  readonly endpoint: string
  /** Options of a storage in the bucket of this server. */
  readonly options: S3Config
  /** Environment of a Quire server that uses it. */
  readonly environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Starts an S3-compatible server with one bucket on a free local port. Its keys are the defaults of s3rver. */
export async function startS3Server(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'quire-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  const { port } = await server.run()
  const endpoint = `http://127.0.0.1:${port}`
  return {
    endpoint,
    options: {
      bucket: BUCKET,
      region: 'us-east-1',
      endpoint,
      credentials: CREDENTIALS,
      forcePathStyle: true,
      keyPrefix: '',
      publicUrl: null,
    },
    environment: {
      UPLOAD_STORAGE: 's3',
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: endpoint,
      S3_FORCE_PATH_STYLE: 'on',
      S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      S3_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    },
    close: async () => {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
