/**
 * The files of a paste or a drop. Programs such as Word add a picture of the text that they copy:
 * with a text in the HTML there are no files.
 */
export function picturesIn(data: DataTransfer | null): readonly File[] {
  if (data === null || data.files.length === 0) return []
  const html = data.getData('text/html')
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return body.textContent.trim() === '' ? [...data.files] : []
}
