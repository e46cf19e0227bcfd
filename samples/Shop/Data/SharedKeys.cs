using System.Xml.Linq;
using Microsoft.AspNetCore.DataProtection.Repositories;

namespace ShopSample.Data;

/// <summary>
/// The keys of cookies and forms in the database, so that each host reads what another has signed. Data Protection reads
/// them at its first use and once a day.
/// </summary>
internal sealed class SharedKeys(ShopDatabase database) : IXmlRepository
{
    public IReadOnlyCollection<XElement> GetAllElements()
    {
        var elements = new List<XElement>();
        using var connection = database.Open();
        using var command = connection.CreateCommand("SELECT xml FROM protection_keys");
        using var reader = command.ExecuteReader();
        while (reader.Read())
        {
            elements.Add(XElement.Parse(reader.GetString(0)));
        }

        return elements;
    }

    public void StoreElement(XElement element, string friendlyName)
    {
        using var connection = database.Open();
        using var command = connection.CreateCommand(
            "INSERT INTO protection_keys (name, xml) VALUES (@name, @xml)",
            ("@name", friendlyName), ("@xml", element.ToString(SaveOptions.DisableFormatting)));
        command.ExecuteNonQuery();
    }
}
