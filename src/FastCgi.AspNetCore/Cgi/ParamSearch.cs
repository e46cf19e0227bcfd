using System.Text;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>Finds a param among candidates.</summary>
internal static class ParamSearch
{
    /// <summary>
    /// The last param of this very name; without one, the last whose name differs in case only; -1 without any.
    /// </summary>
    public static int FindLast(ReadOnlySpan<byte> buffer, ReadOnlySpan<ParamEntry> entries, ReadOnlySpan<byte> name)
    {
        var found = -1;
        for (var i = 0; i < entries.Length; i++)
        {
            found = BetterFit(buffer, entries, name, found, i);
        }

        return found;
    }

    /// <inheritdoc cref="FindLast(ReadOnlySpan{byte}, ReadOnlySpan{ParamEntry}, ReadOnlySpan{byte})"/>
    public static int FindLast(
        ReadOnlySpan<byte> buffer,
        ReadOnlySpan<ParamEntry> entries,
        ReadOnlySpan<int> places,
        ReadOnlySpan<byte> name)
    {
        var found = -1;
        foreach (var place in places)
        {
            found = BetterFit(buffer, entries, name, found, place);
        }

        return found;
    }

    /// <summary>The first place of a line that the application sees; -1 without any.</summary>
    public static int FindLine(ReadOnlySpan<ParamEntry> entries, ReadOnlySpan<int> places)
    {
        foreach (var place in places)
        {
            if (entries[place].IsOtherLine(forwarding: false))
            {
                return place;
            }
        }

        return -1;
    }

    private static int BetterFit(
        ReadOnlySpan<byte> buffer,
        ReadOnlySpan<ParamEntry> entries,
        ReadOnlySpan<byte> name,
        int found,
        int candidate)
    {
        var candidateName = NameOf(buffer, entries[candidate]);
        if (candidateName.SequenceEqual(name))
        {
            return candidate;
        }

        var isFit = Ascii.EqualsIgnoreCase(candidateName, name)
            && (found < 0 || !NameOf(buffer, entries[found]).SequenceEqual(name));
        return isFit ? candidate : found;
    }

    private static ReadOnlySpan<byte> NameOf(ReadOnlySpan<byte> buffer, in ParamEntry entry) =>
        buffer.Slice(entry.NameOffset, entry.NameLength);
}
