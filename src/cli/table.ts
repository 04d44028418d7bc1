export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const all = [headings, ...rows]
  const widths = headings.map((_, column) =>
    Math.max(...all.map((row) => widthOf(row[column] ?? ''))),
  )
  return all
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function formatTime(time: Date | null, absent: string): string {
  return time === null ? absent : `${time.toISOString().slice(0, 16).replace('T', ' ')}Z`
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)))
}

/** In code points. Wide characters are rare in names. */
function widthOf(cell: string): number {
  return Array.from(cell).length
}
