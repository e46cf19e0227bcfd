using System.Numerics;

namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>Row P8 of the hard inputs, counted: names are sorted and bisected, whatever they are and however they come.</summary>
public class ParamIndexTests
{
    public static TheoryData<string> Orders =>
        ["ascending", "descending", "shuffled", "organ pipe", "killer of median of three", "all equal"];

    [Theory]
    [MemberData(nameof(Orders))]
    [HardInput("P8")]
    public void No_order_of_names_makes_the_index_quadratic(string order)
    {
        foreach (var count in (int[])[1000, 4000, 16_000, 64_000])
        {
            var (buffer, entries) = Params(Arrange(order, count));
            var index = new ParamIndex(buffer, entries, count, generation: 1);

            // Of a quadratic sort it would be a quarter of the square: 250 times as much at the least count already.
            Assert.InRange(index.Comparisons, count - 1, 4L * count * BitOperations.Log2((uint)count));

            var sorted = index.Comparisons;
            Assert.NotEmpty(index.Find(buffer.AsSpan(entries[count / 2].NameOffset, entries[count / 2].NameLength)).ToArray());
            Assert.InRange(index.Comparisons - sorted, 1, 2 * (BitOperations.Log2((uint)count) + 1));
        }
    }

    private static int[] Arrange(string order, int count)
    {
        var numbers = Enumerable.Range(0, count).ToArray();
        switch (order)
        {
            case "descending":
                Array.Reverse(numbers);
                break;
            case "shuffled":
                new Random(1).Shuffle(numbers);
                break;
            case "organ pipe":
                return [.. numbers.Where(n => n % 2 == 0), .. numbers.Where(n => n % 2 == 1).Reverse()];
            case "killer of median of three":
                // Musser's sequence: the even places hold the small half in order, the odd ones the large half.
                return [.. numbers.Select(n => n < count / 2 ? (n % 2 == 0 ? n + 1 : (count / 2) + n) : (n - (count / 2)) * 2)];
            case "all equal":
                return new int[count];
        }

        return numbers;
    }

    private static (byte[] Buffer, ParamEntry[] Entries) Params(int[] numbers)
    {
        const int NameLength = 13;
        var buffer = Encoding.ASCII.GetBytes(string.Concat(numbers.Select(number => $"HTTP_X_{number:D6}")));
        var entries = numbers.Select((_, i) => new ParamEntry(i * NameLength, NameLength, 0, 0, KnownParam.None) { IsHeader = true });
        return (buffer, [.. entries]);
    }
}
