import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import {
  type LiveStreams,
  type LiveStreamsOptions,
  openLiveStreams,
} from '../../changes/live/live-streams.ts'
import { type Shutdown, openShutdown } from '../router/shutdown.ts'
import { measureLive } from '../middleware/measure-live.ts'

export interface Waiting {
  readonly shutdown: Shutdown
  readonly streams: LiveStreams
}

export interface WaitingOptions extends Omit<LiveStreamsOptions, 'onBackgroundError'> {
  readonly log: Logger
  readonly registry: Registry
}

export function openWaiting({ log, registry, ...options }: WaitingOptions): Waiting {
  const shutdown = openShutdown()
  const onBackgroundError = (error: unknown): void => {
    log.warn({ err: error }, 'The streams of changes could not be served')
  }
  const streams = openLiveStreams({ ...options, onBackgroundError })
  shutdown.onBegin(() => streams.endAll())
  measureLive(registry, () => streams.counts())
  return { shutdown, streams }
}
