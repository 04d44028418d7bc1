import sharp from 'sharp'
import type { CropArea } from '../crop-area.ts'
import type { FocalPoint } from '../file-info.ts'
import { cropImage } from './crop-image.ts'
import { type Image, readImage } from './read-image.ts'
import { renderVariant } from './render-variant.ts'
import type { VariantRequest } from './variant-request.ts'

export type ImageTask =
  | {
      readonly kind: 'read'
      readonly file: { readonly path: string; readonly mime: string; readonly size: number }
      readonly folder: string
    }
  | {
      readonly kind: 'render'
      readonly source: string
      readonly target: string
      readonly variant: VariantRequest
      readonly focalPoint: FocalPoint | null
    }
  | {
      readonly kind: 'crop'
      readonly source: string
      readonly target: string
      readonly area: CropArea
    }

export type ImageReply =
  { readonly image: Image | null } | { readonly message: string; readonly code: string | null }

// AVIF encoders would use a thread per core.
sharp.concurrency(1)

process.on('message', (task: ImageTask) => {
  void work(task).then((reply) => process.send?.(reply))
})
// The server has exited, so the result is not needed.
process.on('disconnect', () => process.exit())

async function work(task: ImageTask): Promise<ImageReply> {
  try {
    if (task.kind === 'read') return { image: await readImage(task.file, task.folder) }
    if (task.kind === 'crop') await cropImage(task.source, task.target, task.area)
    else await renderVariant(task.source, task.target, task.variant, task.focalPoint)
    return { image: null }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    return { message: error instanceof Error ? error.message : String(error), code }
  }
}
