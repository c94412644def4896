/** Replace this by your own image generation: it returns the addresses of the images. */
export const paint = async (prompt: string, count: number): Promise<ReadonlyArray<string>> =>
  Array.from({ length: count }, (_, index) => `/images/${prompt.replaceAll(" ", "-")}-${index + 1}.png`)
