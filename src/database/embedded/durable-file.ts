import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes a folder's last renames survive a loss of power. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Puts a whole file in place: after a crash it is there as written, or as it was before. */
export const writeDurably = async (file: string, text: string, mode: number): Promise<void> => {
  const handle = await open(`${file}.new`, 'w', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
  await syncFolder(dirname(file))
}
