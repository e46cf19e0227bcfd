using System.Xml.Linq;
using Microsoft.AspNetCore.DataProtection.Repositories;

namespace ShopSample.Data;

/// <summary>
/// The keys of cookies and forms in the database, so that each host reads what another has signed. Data Protection reads
/// them at its first use and once a day.
/// </summary>
internal sealed class SharedKeys(ShopDatabase database) : IXmlRepository
{
    public IReadOnlyCollection<XElement> GetAllElements() => ReadAsync().GetAwaiter().GetResult();

    public void StoreElement(XElement element, string friendlyName) =>
        WriteAsync(element, friendlyName).GetAwaiter().GetResult();

    private async Task<List<XElement>> ReadAsync()
    {
        var elements = new List<XElement>();
        await using var connection = await database.OpenAsync(CancellationToken.None);
        await using var command = connection.CreateCommand("SELECT xml FROM protection_keys");
        await using var reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            elements.Add(XElement.Parse(reader.GetString(0)));
        }

        return elements;
    }

    private async Task WriteAsync(XElement element, string name)
    {
        await using var connection = await database.OpenAsync(CancellationToken.None);
        await using var command = connection.CreateCommand(
            "INSERT INTO protection_keys (name, xml) VALUES (@name, @xml)",
            ("@name", name), ("@xml", element.ToString(SaveOptions.DisableFormatting)));
        await command.ExecuteNonQueryAsync();
    }
}
