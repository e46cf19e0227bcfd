using System.Data.Common;

namespace ShopSample.Data;

/// <summary>What ADO.NET makes wordy. Values reach the database as parameters only.</summary>
internal static class Commands
{
    public static DbCommand CreateCommand(
        this DbConnection connection, string sql, params ReadOnlySpan<(string Name, object Value)> parameters)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        foreach (var (name, value) in parameters)
        {
            command.Add(name, value);
        }

        return command;
    }

    public static DbCommand CreateCommand(
        this DbTransaction transaction, string sql, params ReadOnlySpan<(string Name, object Value)> parameters)
    {
        var command = transaction.Connection!.CreateCommand(sql, parameters);
        command.Transaction = transaction;
        return command;
    }

    public static void Add(this DbCommand command, string name, object value)
    {
        var parameter = command.CreateParameter();
        parameter.ParameterName = name;
        parameter.Value = value;
        command.Parameters.Add(parameter);
    }

    /// <summary>Amounts are stored in cents, which all three databases keep exactly.</summary>
    public static decimal GetMoney(this DbDataReader reader, int column) =>
        new(reader.GetInt32(column), 0, 0, isNegative: false, scale: 2);
}
