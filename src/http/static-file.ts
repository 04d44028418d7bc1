import type { Context } from './state.ts'

/** A file that never changes while the server runs. Its bytes stay in memory, so that no request reads or packs it. */
export interface StaticFile {
  readonly type: string
  readonly bytes: Buffer
  /** By the name of the coding, the smallest first. */
  readonly packed: Readonly<Record<string, Buffer>>
  /** In double quotes. */
  readonly etag: string
}

/** Sends the form of a file that the client accepts. The buffer is shared by all requests. */
export function sendStatic(ctx: Context, file: StaticFile, cacheControl: string): void {
  ctx.vary('Accept-Encoding')
  ctx.set('Cache-Control', cacheControl)
  ctx.set('ETag', file.etag)
  ctx.compress = false // it is packed
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const coding = ctx.acceptsEncodings([...Object.keys(file.packed), 'identity'])
  const packed = coding === false ? undefined : file.packed[coding]
  if (packed !== undefined && coding !== false) ctx.set('Content-Encoding', coding)
  ctx.type = file.type
  ctx.body = packed ?? file.bytes
}
