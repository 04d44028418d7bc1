import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TestServerOptions {
  /** Variables of the server, see docs/configuration.md. They win over `quire.config.ts`. */
  readonly env?: Readonly<Record<string, string>>
}

export interface TestServer {
  /** Without a trailing slash: `http://127.0.0.1:54321`. */
  readonly url: string
  /** An API token with full access. */
  readonly token: string
  /** Sends a request with the token. A `body` object is sent as JSON. */
  fetch(path: string, init?: TestRequest): Promise<Response>
  /** Stops the server and deletes its data. */
  close(): Promise<void>
}

export interface TestRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Starts the server of the project in the current folder on an empty embedded engine and a free port. The `.env` file
 * is ignored.
 *
 * @example const server = await startTestServer() const response = await server.fetch('/api/articles', { method:
 * 'POST', body: { data: { title: 'Maps' } } }) await server.close()
 */
export async function startTestServer({ env = {} }: TestServerOptions = {}): Promise<TestServer> {
  // Loaded on demand, because `quire.config.ts` imports the same entry.
  const [{ createApp }, { loadConfiguration }, { startDeployment }, { startServer }] =
    await Promise.all([
      import('./app.ts'),
      import('../extensions/configuration/load-configuration.ts'),
      import('./deployment/start-deployment.ts'),
      import('./run-server.ts'),
    ])
  const folder = await mkdtemp(join(tmpdir(), 'quire-test-'))
  const token = randomBytes(24).toString('hex')
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const server = await startServer({
      env: {
        NODE_ENV: 'test',
        LOG_LEVEL: 'warn',
        HOST: '127.0.0.1',
        PORT: '0',
        RATE_LIMIT: 'off',
        QUIRE_DATABASE: 'embedded',
        QUIRE_DATA_DIR: folder,
        ROOT_API_TOKEN: token,
        ...env,
      },
      configure: () => loadConfiguration(process.cwd(), { compile: true }),
      startDeployment,
      createApp,
    })
    return {
      url: server.address,
      token,
      fetch: (path, init) => fetch(server.address + path, toRequest(token, init)),
      close: async () => {
        await server.close()
        await removeFolder()
      },
    }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

function toRequest(token: string, { method, headers, body }: TestRequest = {}): RequestInit {
  const isRaw = typeof body === 'string' || body instanceof FormData
  return {
    ...(method === undefined ? {} : { method }),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  }
}
