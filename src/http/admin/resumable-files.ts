import { pluginAction } from '../../people/access/actions.ts'
import type { MediaFile, MediaLibrary } from '../../media/media-library.ts'
import type { ReceiveOptions } from '../../media/receive-upload.ts'
import type { ResumableUploads } from '../../media/resumable/resumable-uploads.ts'
import type { Data } from '../../schema/definition.ts'
import type { StrictOptions } from '../reads/strict-request.ts'
import { administratorsOnly, type Guarded, type GuardedRouter } from '../router/guarded-router.ts'
import type { Context, Middleware } from '../router/state.ts'
import { addResumableRoutes, type ResumableHandlers } from '../routes/resumable-uploads.ts'

interface ResumableFileDependencies {
  readonly authenticate: Middleware
  readonly api: StrictOptions
  readonly library: MediaLibrary
  readonly receive: ReceiveOptions
  readonly resumable: ResumableUploads
}

interface FileHandlers extends Pick<ResumableHandlers, 'assertInfo' | 'assertFolder' | 'store'> {
  readonly show: (ctx: Context, records: readonly MediaFile[]) => Promise<readonly Data[]>
}

/** Uploads in parts for administrators, with the envelope of their other routes. */
export function addResumableFiles(
  router: GuardedRouter,
  { authenticate, api, library, receive, resumable }: ResumableFileDependencies,
  { show, ...handlers }: FileHandlers,
): GuardedRouter {
  return addResumableRoutes(
    router,
    { authenticate, api, media: { library, receive, resumable } },
    {
      ...handlers,
      place: { prefix: '/admin', route: '/files/resumable' },
      handle: enveloped,
      respond: async (ctx, records) => {
        ctx.body = await show(ctx, records)
      },
    },
  )
}

function enveloped(handler: (ctx: Context) => Promise<void>): Guarded {
  return administratorsOnly(pluginAction('plugin::upload.content-api', 'upload'), async (ctx) => {
    await handler(ctx)
    if (ctx.body !== undefined) ctx.body = { data: ctx.body }
  })
}
