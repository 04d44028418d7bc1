import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

export interface ReceivedMail {
  readonly to: readonly string[]
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

export interface MailServer {
  readonly url: string
  readonly mails: readonly ReceivedMail[]
  /** Refuses the next recipients with a temporary error. */
  refuse(count: number): void
  close(): Promise<void>
}

/** Receives mails by SMTP (RFC 5321) on a free port. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  const state = { refusals: 0 }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    receive(socket, mails, state)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    refuse: (count) => {
      state.refusals = count
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function receive(socket: Socket, mails: ReceivedMail[], state: { refusals: number }): void {
  let to: string[] = []
  let data: string[] | null = null
  const say = (line: string): void => void socket.write(`${line}\r\n`)
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'RCPT') {
      if (state.refusals > 0) {
        state.refusals -= 1
        say('451 Try again later')
        return
      }
      to.push(/<(.*)>/.exec(line)?.[1] ?? '')
    } else if (verb === 'RSET' || verb === 'MAIL') to = []
    else if (verb === 'DATA') {
      data = []
      say('354 End with a dot')
      return
    } else if (verb === 'QUIT') {
      socket.end('221 Bye\r\n')
      return
    }
    say('250 OK')
  }
  say('220 mail server of the test')
  createInterface({ input: socket }).on('line', (line) => {
    if (data === null) command(line)
    else if (line === '.') {
      mails.push(parse(to, data))
      data = null
      say('250 OK')
    } else data.push(line.replace(/^\.\./, '.'))
  })
}

function parse(to: readonly string[], lines: readonly string[]): ReceivedMail {
  const empty = lines.indexOf('')
  const headers = lines.slice(0, empty).flatMap((line): (readonly [string, string])[] => {
    const [, name, value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name.toLowerCase(), value]]
  })
  return { to, headers: new Map(headers), text: lines.slice(empty + 1).join('\n') }
}
