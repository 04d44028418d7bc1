import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import {
  type LiveStreams,
  type LiveStreamsOptions,
  openLiveStreams,
} from '../../changes/live/live-streams.ts'
import { openEntryChanges } from '../../changes/live/entry-changes.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import { openPresenceStreams, type PresenceStreams } from './presence-streams.ts'
import { type Shutdown, openShutdown } from '../router/shutdown.ts'
import { measureLive } from '../middleware/measure-live.ts'

export interface Waiting {
  readonly shutdown: Shutdown
  readonly streams: LiveStreams
  readonly presenceStreams: PresenceStreams
  /** All streams must have ended. */
  close(): Promise<void>
}

export interface WaitingOptions extends Omit<LiveStreamsOptions, 'onBackgroundError'> {
  readonly log: Logger
  readonly registry: Registry
  readonly administrators: Pick<AdministratorsContext, 'presence'>
}

export function openWaiting({ log, registry, ...options }: WaitingOptions): Waiting {
  const shutdown = openShutdown()
  const onBackgroundError = (error: unknown): void => {
    log.warn({ err: error }, 'The streams of changes could not be served')
  }
  const streams = openLiveStreams({ ...options, onBackgroundError })
  const changes = openEntryChanges({ ...options, onBackgroundError })
  const presenceStreams = openPresenceStreams({
    presence: options.administrators.presence,
    changes,
  })
  shutdown.onBegin(() => {
    streams.endAll()
    presenceStreams.endAll()
  })
  measureLive(registry, () => streams.counts())
  return {
    shutdown,
    streams,
    presenceStreams,
    close: async () => {
      await streams.close()
      await presenceStreams.close()
      await changes.close()
    },
  }
}
