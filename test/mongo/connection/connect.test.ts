import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { deserialize, type Document, serialize } from 'bson'
import { ConfigError, ServiceUnavailableError } from '../../../src/base/errors.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { startOwnClock } from '../../support/own-clock.ts'

const OP_MSG = 2013
const OP_QUERY = 2004

/** Answers commands like a replica set of one, except as `refuse` returns, if it returns a reply. */
function answerCommands(
  socket: Socket,
  host: () => string,
  refuse: (name: string) => Document | null | Promise<null>,
) {
  let buffer = Buffer.alloc(0)
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    while (buffer.length >= 4 && buffer.length >= buffer.readInt32LE(0)) {
      const message = buffer.subarray(0, buffer.readInt32LE(0))
      buffer = buffer.subarray(message.length)
      const isQuery = message.readInt32LE(12) === OP_QUERY
      const body = isQuery ? message.subarray(message.indexOf(0, 20) + 9) : message.subarray(21)
      const [name = ''] = Object.keys(deserialize(body))
      const hello = {
        ok: 1,
        isWritablePrimary: true,
        setName: 'rs0',
        hosts: [host()],
        me: host(),
        minWireVersion: 0,
        maxWireVersion: 21,
        logicalSessionTimeoutMinutes: 30,
        saslSupportedMechs: ['SCRAM-SHA-256'],
      }
      void Promise.resolve(refuse(name)).then((refusal) => {
        const reply = serialize(refusal ?? hello)
        const prefix = Buffer.alloc(isQuery ? 20 : 5)
        if (isQuery) prefix.writeInt32LE(1, 16)
        const header = Buffer.alloc(16)
        header.writeInt32LE(16 + prefix.length + reply.length, 0)
        header.writeInt32LE(message.readInt32LE(4), 8)
        header.writeInt32LE(isQuery ? 1 : OP_MSG, 12)
        socket.write(Buffer.concat([header, prefix, reply]))
      })
    }
  })
}

const servers: Server[] = []

async function listen(handle: (socket: Socket, host: () => string) => void): Promise<string> {
  const host = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`
  const server = createServer((socket) => handle(socket, host))
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return host()
}

describe('startup with an unusable database', () => {
  after(() => {
    for (const server of servers.splice(0)) server.close()
  })

  const closedPort = async (): Promise<string> => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    return `127.0.0.1:${port}`
  }
  /** Returns the startup error. Checks that it is a sentence and takes at most 3 seconds. */
  const failing = async (uri: string, client: object = {}): Promise<Error> => {
    const elapsedMs = startOwnClock()
    const options = { uri, name: 'quire_test_connect', queryTimeoutMs: 2_000, client }
    try {
      const database = await openDatabase(options)
      await database.close()
    } catch (error) {
      expect(elapsedMs()).to.be.lessThan(3_000)
      return error as Error
    }
    throw new Error('it was opened')
  }
  const sentence = async (uri: string, client?: object): Promise<string> => {
    const error = await failing(uri, client)
    expect(error).to.be.instanceOf(ServiceUnavailableError)
    return error.message
  }

  it('reports a refused connection', async () => {
    expect(await sentence(`mongodb://${await closedPort()}/`)).to.equal(
      'The database refuses the connection: nothing listens at its host and port',
    )
    const set = `mongodb://${await closedPort()},${await closedPort()}/?replicaSet=rs0`
    expect(await sentence(set)).to.match(/^The database refuses the connection/)
  })

  it('reports an unknown host, also for SRV records', async () => {
    const lookup = (_: string, __: unknown, done: (error: Error) => void): void => {
      done(Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.invalid'), { code: 'ENOTFOUND' }))
    }
    expect(await sentence('mongodb://nowhere.invalid/', { lookup })).to.match(
      /^The host of the database is unknown/,
    )
    expect(await sentence('mongodb+srv://nowhere.invalid/')).to.match(
      /^The (host of the database is unknown|database does not answer)/,
    )
  })

  it('reports a wrong user name or password', async () => {
    const host = await listen((socket, itself) => {
      answerCommands(socket, itself, (name) =>
        name.startsWith('sasl')
          ? { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' }
          : null,
      )
    })
    const said = await sentence(`mongodb://user:secret@${host}/?replicaSet=rs0`)
    expect(said).to.equal('The database refuses the user name or the password of MONGODB_URI')
    const engine = await listen((socket, itself) => {
      answerCommands(socket, itself, (name) =>
        name.startsWith('sasl') ? { ok: 0, code: 59, errmsg: `no such command: '${name}'` } : null,
      )
    })
    expect(await sentence(`mongodb://user:secret@${engine}/?replicaSet=rs0`)).to.equal(said)
  })

  it('reports TLS that is not supported or not permitted', async () => {
    const plain = await listen((socket) => {
      socket.on('error', () => undefined)
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    expect(await sentence(`mongodb://${plain}/?tls=true&directConnection=true`)).to.match(
      /^TLS with the database fails/,
    )
    const alert = await listen((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 80])))
    })
    expect(await sentence(`mongodb://${alert}/?tls=true&directConnection=true`)).to.match(
      /as MongoDB Atlas does for an address that its access list does not permit/,
    )
  })

  it('reports a connection that is closed immediately', async () => {
    const host = await listen((socket) => {
      socket.on('error', () => undefined)
      socket.end()
    })
    expect(await sentence(`mongodb://${host}/?directConnection=true`)).to.match(
      /^The database closes the connection at once/,
    )
  })

  it('refuses an invalid URI as a configuration error', async () => {
    for (const uri of ['postgres://x/', 'mongodb://', 'mongodb://x/?foo=1', 'mongodb://u:p@']) {
      const error = await failing(uri)
      expect(error, uri).to.be.instanceOf(ConfigError)
      expect(error.message).to.contain('MONGODB_URI: ')
    }
  })
})

describe('the wait for a connection', () => {
  after(() => {
    for (const server of servers.splice(0)) server.close()
  })

  const MESSAGE = 'The database is busy: no connection became free'
  const openBusy = async (startQueueTimeoutMs?: number) => {
    let release: () => void = () => undefined
    const held = new Promise<null>((resolve) => {
      release = () => resolve(null)
    })
    const host = await listen((socket, itself) => {
      answerCommands(socket, itself, (name) => (name === 'ping' ? held : null))
    })
    const database = await openDatabase({
      uri: `mongodb://${host}/?replicaSet=rs0`,
      name: 'quire_test_connect',
      queryTimeoutMs: 60_000,
      maxPoolSize: 1,
      waitQueueTimeoutMs: 1_000,
      client: { minPoolSize: 0 },
      ...(startQueueTimeoutMs !== undefined && { startQueueTimeoutMs }),
    })
    const holding = database.ping()
    const close = async (): Promise<void> => {
      release()
      await holding
      await database.close()
    }
    return { database, release, close }
  }
  const outcomeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )

  it('lasts longer during a start than for requests', async () => {
    const { database, release, close } = await openBusy(60_000)
    const duringStart = outcomeOf(database.hello())
    await new Promise(setImmediate) // the driver has read the limit
    database.endStart()
    expect(await outcomeOf(database.hello())).to.equal(MESSAGE)
    release()
    expect(await duringStart).to.equal('done')
    await close()
  })

  it('keeps the limit of the client if a start has no longer one', async () => {
    for (const startQueueTimeoutMs of [undefined, 10]) {
      const { database, close } = await openBusy(startQueueTimeoutMs)
      expect(await outcomeOf(database.hello())).to.equal(MESSAGE)
      await close()
    }
  })
})
