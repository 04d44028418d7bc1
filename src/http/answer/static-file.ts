import type { Context } from '../router/state.ts'

export interface StaticFile {
  readonly type: string
  readonly bytes: Buffer
  readonly packed: Readonly<Record<string, Buffer>>
  readonly etag: string
}

export function sendStatic(ctx: Context, file: StaticFile, cacheControl: string): void {
  ctx.vary('Accept-Encoding')
  ctx.set('Cache-Control', cacheControl)
  ctx.set('ETag', file.etag)
  ctx.compress = false
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
