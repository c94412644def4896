/** Integers of 32 bits, as many as are added. */
export const growingNumbers = (capacity: number) => {
  let numbers = new Int32Array(capacity)
  let length = 0
  return {
    add: (number: number): void => {
      if (length === numbers.length) {
        const larger = new Int32Array(length * 2)
        larger.set(numbers)
        numbers = larger
      }
      numbers[length++] = number
    },
    length: () => length,
    all: (): Int32Array => numbers.subarray(0, length)
  }
}
