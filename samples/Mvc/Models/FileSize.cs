using System.Globalization;

namespace MvcSample.Models;

internal static class FileSize
{
    private static readonly string[] _units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

    /// <summary><c>512 bytes</c>, <c>1.5 KiB</c>, <c>20 MiB</c>.</summary>
    public static string Format(long bytes)
    {
        var unit = 0;
        double size = bytes;
        while (size >= 1024 && unit < _units.Length - 1)
        {
            size /= 1024;
            unit++;
        }

        return string.Create(CultureInfo.InvariantCulture, $"{size:0.#} {_units[unit]}");
    }
}
