import type { DOMOutputSpec } from '@tiptap/pm/model'

/** Keeps all members of a picture in a copy. */
const MEMBERS = 'data-picture'

export const PICTURE_TAG = `img[${MEMBERS}]`

export function writePicture(attrs: Readonly<Record<string, unknown>>): DOMOutputSpec {
  const { image, extra } = attrs
  const { url, alternativeText } = image as Readonly<Record<string, unknown>>
  const members = JSON.stringify({ image, extra })
  return ['img', { src: url, alt: alternativeText ?? '', [MEMBERS]: members }]
}

/** Returns false for a picture without members. */
export function readPicture(element: Element): Readonly<Record<string, unknown>> | false {
  try {
    const { image, extra = null } = JSON.parse(element.getAttribute(MEMBERS) ?? '') as {
      readonly image?: { readonly url?: unknown }
      readonly extra?: unknown
    }
    const isPicture = typeof image?.url === 'string' && /^(?:https?:\/)?\//.test(image.url)
    return isPicture && typeof extra === 'object' ? { image, extra } : false
  } catch {
    return false
  }
}

export function hasForeignPictures(data: DataTransfer | null): boolean {
  const { body } = new DOMParser().parseFromString(data?.getData('text/html') ?? '', 'text/html')
  return [...body.querySelectorAll('img')].some((one) => readPicture(one) === false)
}
