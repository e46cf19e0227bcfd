using System.Text;
using CrudApiSample.Catalogues;
using CrudApiSample.Databases;

namespace CrudApiSample.Queries;

/// <summary>Composes one statement: its names come from the catalogue, every value becomes a parameter.</summary>
internal sealed class SqlWriter(Database database)
{
    // Not the backslash, which is special in the texts of MariaDB.
    private const char Escape = '!';

    private readonly StringBuilder _text = new();
    private readonly List<object?> _values = [];

    public Statement List(Table table, ListQuery query)
    {
        _text.Append("SELECT ").AppendJoin(", ", query.Columns.Select(column => column.Selected));
        _text.Append(" FROM ").Append(table.Quoted);
        Where(query.Filters);
        Order(table, query.Order);
        _text.Append(" LIMIT ").Append(Add(query.PageSize));
        _text.Append(" OFFSET ").Append(Add((query.Page - 1L) * query.PageSize));
        return ToStatement();
    }

    /// <summary>The records of a joined table, and after their columns the key that each was found by.</summary>
    public Statement Joined(Join join, Relation relation, IReadOnlyList<object> keys, int limit)
    {
        _text.Append("SELECT ").AppendJoin(", ", join.Columns.Select(column => column.Selected)).Append(", ");
        if (relation is Relation.Through(_, var link, var linkFrom, var linkTo, var to))
        {
            // Names that no table has, so that those of the joined table need no table in front of them.
            _text.Append("link_from_ FROM ").Append(join.Table.Quoted).Append(" JOIN (SELECT ");
            _text.Append(linkFrom.Selected).Append(" AS link_from_, ");
            _text.Append(linkTo.Quoted).Append(" AS link_to_ FROM ").Append(link.Quoted);
            WhereIn(linkFrom, keys);
            _text.Append(") AS link_ ON link_to_ = ").Append(to.Quoted);
        }
        else
        {
            _text.Append(relation.To.Selected).Append(" FROM ").Append(join.Table.Quoted);
            WhereIn(relation.To, keys);
        }

        Order(join.Table, []);
        _text.Append(" LIMIT ").Append(Add(limit));
        return ToStatement();
    }

    public Statement Count(Table table, FilterTree filters)
    {
        _text.Append("SELECT COUNT(*) FROM ").Append(table.Quoted);
        Where(filters);
        return ToStatement();
    }

    public Statement Select(Table table, IReadOnlyList<Column> columns, object key)
    {
        _text.Append("SELECT ").AppendJoin(", ", columns.Select(column => column.Selected));
        _text.Append(" FROM ").Append(table.Quoted);
        WhereKey(table, key);
        return ToStatement();
    }

    /// <summary>Returns the record as it was stored.</summary>
    public Statement Insert(Table table, IReadOnlyList<ColumnAssignment> assignments)
    {
        _text.Append("INSERT INTO ").Append(table.Quoted).Append(' ');
        if (assignments.Count == 0)
        {
            _text.Append(database.NoValues);
        }
        else
        {
            _text.Append('(').AppendJoin(", ", assignments.Select(assignment => assignment.Column.Quoted));
            _text.Append(") VALUES (").AppendJoin(", ", assignments.Select(Add)).Append(')');
        }

        _text.Append(" RETURNING ").AppendJoin(", ", table.Columns.Select(column => column.Selected));
        return ToStatement();
    }

    /// <param name="assignments">At least one.</param>
    public Statement Update(Table table, object key, IReadOnlyList<ColumnAssignment> assignments)
    {
        _text.Append("UPDATE ").Append(table.Quoted).Append(" SET ");
        _text.AppendJoin(", ", assignments.Select(Set));
        WhereKey(table, key);
        return ToStatement();
    }

    public Statement Delete(Table table, object key)
    {
        _text.Append("DELETE FROM ").Append(table.Quoted);
        WhereKey(table, key);
        return ToStatement();
    }

    private string Set(ColumnAssignment assignment)
    {
        var column = assignment.Column.Quoted;
        return assignment.IsIncrement
            ? $"{column} = {column} + {Add(assignment)}"
            : $"{column} = {Add(assignment)}";
    }

    private void WhereIn(Column column, IReadOnlyList<object> values) =>
        _text.Append(" WHERE ").Append(column.Quoted).Append(" IN (")
            .AppendJoin(", ", values.Select(value => Add(column, value))).Append(')');

    private void WhereKey(Table table, object key) =>
        _text.Append(" WHERE ").Append(table.Key!.Quoted).Append(" = ").Append(Add(table.Key, key));

    private void Where(FilterTree filters)
    {
        if (!filters.IsEmpty)
        {
            _text.Append(" WHERE ");
            Conditions(filters);
        }
    }

    private void Conditions(FilterTree tree)
    {
        var and = "";
        foreach (var filter in tree.Filters)
        {
            _text.Append(and);
            Condition(filter, filter.Path);
            and = " AND ";
        }

        foreach (var other in tree.Others)
        {
            _text.Append(and).Append('(');
            Conditions(other);
            _text.Append(')');
            and = " AND ";
        }

        if (tree.Branches.Count > 0)
        {
            _text.Append(and);
            var or = "(";
            foreach (var branch in tree.Branches)
            {
                _text.Append(or).Append('(');
                Conditions(branch);
                _text.Append(')');
                or = " OR ";
            }

            _text.Append(')');
        }
    }

    /// <summary>Related to at least one record that fits. Names in the inner SELECT are its own.</summary>
    private void Condition(Filter filter, IEnumerable<RelatedTable> path)
    {
        if (path.FirstOrDefault() is not { } related)
        {
            _text.Append(filter.IsNegated ? "NOT (" : "(");
            Condition(filter);
            _text.Append(')');
            return;
        }

        var or = "(";
        foreach (var relation in related.Relations)
        {
            _text.Append(or).Append(relation.From.Quoted).Append(" IN (SELECT ");
            if (relation is Relation.Through through)
            {
                _text.Append(through.LinkFrom.Quoted).Append(" FROM ").Append(through.Link.Quoted).Append(" WHERE ");
                _text.Append(through.LinkTo.Quoted).Append(" IN (SELECT ");
            }

            _text.Append(relation.To.Quoted).Append(" FROM ").Append(related.Table.Quoted).Append(" WHERE ");
            Condition(filter, path.Skip(1));
            _text.Append(relation is Relation.Through ? "))" : ")");
            or = " OR ";
        }

        _text.Append(')');
    }

    private void Condition(Filter filter)
    {
        var (column, values) = (filter.Column, filter.Values);
        // Types that only the database knows need not have an order or even equality; their texts have.
        var isOpaque = column.Kind is ColumnKind.Json or ColumnKind.Other;
        var left = isOpaque ? database.TextOf(column) : column.Quoted;
        string Right(object value) => isOpaque ? Add(value) : Add(column, value);
        _ = filter.Operator switch
        {
            "cs" => Like(column, $"%{Escaped(values[0])}%"),
            "sw" => Like(column, $"{Escaped(values[0])}%"),
            "ew" => Like(column, $"%{Escaped(values[0])}"),
            "eq" => _text.Append(left).Append(" = ").Append(Right(values[0])),
            "lt" => _text.Append(left).Append(" < ").Append(Right(values[0])),
            "le" => _text.Append(left).Append(" <= ").Append(Right(values[0])),
            "ge" => _text.Append(left).Append(" >= ").Append(Right(values[0])),
            "gt" => _text.Append(left).Append(" > ").Append(Right(values[0])),
            "bt" =>
                _text.Append(left).Append(" BETWEEN ").Append(Right(values[0]))
                    .Append(" AND ").Append(Right(values[1])),
            "in" => _text.Append(left).Append(" IN (").AppendJoin(", ", values.Select(Right)).Append(')'),
            _ => _text.Append(column.Quoted).Append(" IS NULL"),
        };
    }

    private StringBuilder Like(Column column, string pattern) =>
        _text.Append(database.TextOf(column)).Append(' ').Append(database.Like).Append(' ').Append(Add(pattern))
            .Append(" ESCAPE '").Append(Escape).Append('\'');

    private static string Escaped(object text) => ((string)text)
        .Replace("!", "!!", StringComparison.Ordinal)
        .Replace("%", "!%", StringComparison.Ordinal)
        .Replace("_", "!_", StringComparison.Ordinal);

    private void Order(Table table, IReadOnlyList<SortKey> order)
    {
        IEnumerable<string> keys = order.Select(key => key.Column.Quoted + (key.IsDescending ? " DESC" : ""));
        // The key last, so that records that are equal otherwise do not wander between the pages.
        if (table.Key is { } last && order.All(key => key.Column != last))
        {
            keys = keys.Append(last.Quoted);
        }

        var text = string.Join(", ", keys);
        if (text.Length > 0)
        {
            _text.Append(" ORDER BY ").Append(text);
        }
    }

    private string Add(ColumnAssignment assignment) => assignment switch
    {
        { IsDefault: true } => database.DefaultOf(assignment.Column),
        { Value: null } => Add(value: null),
        _ => Add(assignment.Column, assignment.Value),
    };

    private string Add(Column column, object value) =>
        database.Value(column, Add(database.ToParameter(column, value)));

    private string Add(object? value)
    {
        _values.Add(value);
        return database.Parameter(_values.Count);
    }

    private Statement ToStatement() => new(_text.ToString(), _values);
}

/// <summary>What a column is set to.</summary>
/// <param name="Value">Null for NULL.</param>
/// <param name="IsDefault">To its default instead, whatever that is.</param>
/// <param name="IsIncrement">To what it has and the value together.</param>
internal readonly record struct ColumnAssignment(
    Column Column, object? Value, bool IsDefault = false, bool IsIncrement = false);
