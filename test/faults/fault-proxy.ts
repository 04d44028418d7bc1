import type { Socket } from 'node:net'
import type { Document } from 'mongodb'
import { createRequestFilter } from '../../tools/bench/src/wire/commands-of-requests.ts'
import { openRelay } from '../../tools/bench/src/wire/relay.ts'
import {
  createMessageReader,
  replyTo,
  requestOf,
  type WireMessage,
} from '../../tools/bench/src/wire/wire-messages.ts'

/** A fault of one command on its way to the database and back. */
export interface WireFault {
  /**
   * `refused`: the command never arrives. `aborted`: it never arrives and its transaction is over,
   * as when a primary steps down. `carried out`: it is executed, but the response is another one.
   */
  readonly fate: 'refused' | 'aborted' | 'carried out'
  /**
   * The response, given that of the database (an empty document if it received no command). Null
   * breaks the connection.
   */
  readonly answer: (command: Document, said: Document) => Document | null
}

/** Selects the fault of a command. `position` counts from 1 since `arm`. */
export type FaultPlan = (command: Document, position: number) => WireFault | null

/** Delays a command until the promise resolves. The result is called with the reply. */
export type CommandGate = (command: Document) => Promise<() => void>

/** A proxy in front of the database that makes commands fail, or wait. */
export interface FaultProxy {
  readonly uri: string
  /**
   * Counts commands from now on and applies the plan, except to commands that keep the connection
   * alive.
   */
  arm(plan: FaultPlan): void
  /** Forwards everything again, and returns the commands since `arm`. */
  disarm(): readonly Document[]
  /** Each command waits from now on. Null ends this. */
  hold(gate: CommandGate | null): void
  close(): Promise<void>
}

/**
 * Starts a proxy on a free port for the database of `uri`. By default it counts the commands of
 * requests, without those of background work.
 */
export async function openFaultProxy(
  uri: string,
  isOfRequest = createRequestFilter(),
): Promise<FaultProxy> {
  let plan: FaultPlan | null = null
  let gate: CommandGate | null = null
  let commands: Document[] = []
  const faultOf = ({ body }: WireMessage): WireFault | null => {
    if (body === null || !isOfRequest(body) || plan === null) return null
    commands.push(body)
    return plan(body, commands.length)
  }
  const { port, close } = await openRelay(uri, (inbound, outbound) =>
    relay(inbound, outbound, {
      faultOf,
      gateOf: ({ body }) => (body === null || gate === null || !isOfRequest(body) ? null : gate),
    }),
  )
  return {
    // The driver checks a server that is not primary again soon, not after half a second.
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true&minHeartbeatFrequencyMS=50`,
    arm: (next) => {
      commands = []
      plan = next
    },
    disarm: () => {
      plan = null
      return commands.splice(0)
    },
    hold: (next) => {
      gate = next
    },
    close,
  }
}

interface Rules {
  readonly faultOf: (message: WireMessage) => WireFault | null
  readonly gateOf: (message: WireMessage) => CommandGate | null
}

function relay(inbound: Socket, outbound: Socket, { faultOf, gateOf }: Rules): void {
  /** Requests that get another response, by id. */
  const awaited = new Map<number, (said: Document) => void>()
  const held = new Map<number, () => void>()
  const receive = (message: WireMessage): void => {
    const { body, requestId } = message
    const gate = gateOf(message)
    if (gate === null || body === null) {
      forward(message)
      return
    }
    void gate(body).then((replied) => {
      held.set(requestId, replied)
      forward(message)
    })
  }
  const forward = (message: WireMessage): void => {
    const fault = faultOf(message)
    const { body, bytes, requestId } = message
    if (fault === null || body === null) {
      outbound.write(bytes)
      return
    }
    const settle = (said: Document): void => {
      const answer = fault.answer(body, said)
      if (answer === null) inbound.destroy()
      else inbound.write(replyTo(requestId, answer))
    }
    const sent = toSend(fault, message)
    if (sent === null) {
      settle({})
    } else {
      awaited.set(requestId, settle)
      outbound.write(sent)
    }
  }
  const send = ({ bytes, responseTo, body }: WireMessage): void => {
    held.get(responseTo)?.()
    held.delete(responseTo)
    const settle = awaited.get(responseTo)
    if (settle === undefined) {
      inbound.write(bytes)
      return
    }
    awaited.delete(responseTo)
    settle(body ?? {})
  }
  inbound.on('data', createMessageReader(receive))
  outbound.on('data', createMessageReader(send))
}

/** The bytes of a failing command that reach the database, or null for none. */
function toSend({ fate }: WireFault, { bytes, body, requestId }: WireMessage): Buffer | null {
  if (fate === 'carried out') return bytes
  const isOpen = body?.['autocommit'] === false && body['startTransaction'] !== true
  if (fate === 'refused' || body === null || !isOpen) return null
  const { lsid, txnNumber } = body
  const abort = { abortTransaction: 1, lsid, txnNumber, autocommit: false, $db: 'admin' }
  return requestOf(requestId, abort)
}
